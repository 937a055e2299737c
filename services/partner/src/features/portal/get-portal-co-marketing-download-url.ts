import type { portal } from '@tandem/partner-contract';
import { asService } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { type Download, downloadOf } from '../co-marketing/download.ts';
import { readVisible } from './visible-material.ts';

export const getPortalCoMarketingDownloadUrl = ({
  peers,
}: Tools): Handler<typeof portal.getPortalCoMarketingDownloadUrl, Download> => ({
  check: async ({ params, caller, tx }) =>
    downloadOf(peers, await readVisible(tx, caller, params.id), asService(caller)),
  run: ({ found }) => found,
});
