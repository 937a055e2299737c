import { sendingDomainRemoved, type sendingDomains } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import { isReferenced } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { asSendingDomain, eventOf, lockSendingDomain } from './sending-domain.ts';

export const deleteSendingDomain =
  (tools: Pick<Tools, 'spf'>): Handler<typeof sendingDomains.deleteSendingDomain> =>
  async ({ params, tx, emit, ifMatch }) => {
    const row = await lockSendingDomain(tx, params.id);
    ifMatch(row);
    await tx.sendingDomain.deleteMany({ where: { id: row.id } }).catch((error: unknown) => {
      throw isReferenced(error) ? fail('domain_in_use') : error;
    });
    emit(sendingDomainRemoved, eventOf(asSendingDomain(tools, row)));
    return { id: row.id, deleted: true };
  };
