import type { coMarketing } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { activateCoMarketing } from './activate-co-marketing.ts';
import { archiveCoMarketing } from './archive-co-marketing.ts';
import { createCoMarketing } from './create-co-marketing.ts';
import { deleteCoMarketing } from './delete-co-marketing.ts';
import { getCoMarketing } from './get-co-marketing.ts';
import { getCoMarketingDownloadUrl } from './get-co-marketing-download-url.ts';
import { listCoMarketing } from './list-co-marketing.ts';
import { recordCoMarketingUsage } from './record-co-marketing-usage.ts';
import { updateCoMarketing } from './update-co-marketing.ts';

export const coMarketingHandlers = (tools: Tools) =>
  ({
    createCoMarketing: createCoMarketing(tools),
    listCoMarketing,
    getCoMarketing,
    updateCoMarketing: updateCoMarketing(tools),
    archiveCoMarketing,
    activateCoMarketing,
    deleteCoMarketing,
    getCoMarketingDownloadUrl: getCoMarketingDownloadUrl(tools),
    recordCoMarketingUsage,
  }) satisfies Handlers<typeof coMarketing, Tx>;
