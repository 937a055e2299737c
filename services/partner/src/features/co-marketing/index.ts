import type { coMarketing } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { activateCoMarketingResource } from './activate-co-marketing-resource.ts';
import { archiveCoMarketingResource } from './archive-co-marketing-resource.ts';
import { createCoMarketingResource } from './create-co-marketing-resource.ts';
import { deleteCoMarketingResource } from './delete-co-marketing-resource.ts';
import { getCoMarketingDownloadUrl } from './get-co-marketing-download-url.ts';
import { getCoMarketingResource } from './get-co-marketing-resource.ts';
import { listCoMarketingResources } from './list-co-marketing-resources.ts';
import { recordCoMarketingUsage } from './record-co-marketing-usage.ts';
import { updateCoMarketingResource } from './update-co-marketing-resource.ts';

export const coMarketingHandlers = (tools: Tools) =>
  ({
    createCoMarketingResource: createCoMarketingResource(tools),
    listCoMarketingResources,
    getCoMarketingResource,
    updateCoMarketingResource: updateCoMarketingResource(tools),
    archiveCoMarketingResource,
    activateCoMarketingResource,
    deleteCoMarketingResource,
    getCoMarketingDownloadUrl: getCoMarketingDownloadUrl(tools),
    recordCoMarketingUsage,
  }) satisfies Handlers<typeof coMarketing, Tx>;
