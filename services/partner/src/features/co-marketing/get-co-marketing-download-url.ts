import type { coMarketing } from '@tandem/partner-contract';
import { asService } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { type Download, downloadOf } from './download.ts';
import { readResource } from './resource.ts';

export const getCoMarketingDownloadUrl = ({
  peers,
}: Tools): Handler<typeof coMarketing.getCoMarketingDownloadUrl, Download> => ({
  check: async ({ params, caller, tx }) => downloadOf(peers, await readResource(tx, params.id), asService(caller)),
  run: ({ found }) => found,
});
