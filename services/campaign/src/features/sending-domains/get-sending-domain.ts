import type { sendingDomains } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asSendingDomain } from './sending-domain.ts';

export const getSendingDomain =
  (tools: Pick<Tools, 'spf'>): Handler<typeof sendingDomains.getSendingDomain> =>
  async ({ params, tx }) => {
    const row = await tx.sendingDomain.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    return asSendingDomain(tools, row);
  };
