import type { portal } from '@tandem/partner-contract';
import { asService } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { type Download, downloadOf } from '../co-marketing/download.ts';
import { readResource } from '../co-marketing/resource.ts';

export const getPortalCoMarketingDownloadUrl = ({
  peers,
}: Tools): Handler<typeof portal.getPortalCoMarketingDownloadUrl, Download> => ({
  check: async ({ params, caller, tx }) =>
    downloadOf(peers, await readResource(tx, params.id, 'active'), asService(caller)),
  run: ({ found }) => found,
});
