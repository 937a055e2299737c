import { type sendingDomains, sendingDomainUpdated } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asSendingDomain, checksOf, eventOf, lockSendingDomain, newKey } from './sending-domain.ts';

type Key = Awaited<ReturnType<typeof newKey>>;

export const updateSendingDomain = (
  tools: Pick<Tools, 'seal' | 'spf'>,
): Handler<typeof sendingDomains.updateSendingDomain, Key> => ({
  async check({ params, tx }) {
    const row = await tx.sendingDomain.findFirst({ where: { id: params.id }, select: { sealRef: true } });
    if (!row) throw fail('not_found');
    return newKey(tools, row.sealRef);
  },
  async run({ params, found: key, tx, emit, ifMatch }) {
    const row = await lockSendingDomain(tx, params.id);
    ifMatch(row);
    const next = { nextSelector: key.selector, nextPublicKey: key.publicKey, nextPrivateKey: key.privateKey };
    const [written] = await tx.sendingDomain.updateManyAndReturn({
      where: { id: row.id },
      data: {
        ...next,
        checks: checksOf(row).filter(({ purpose }) => purpose !== 'next_dkim'),
        version: { increment: 1 },
      },
    });
    if (!written) throw fail('not_found');
    const record = asSendingDomain(tools, written);
    emit(sendingDomainUpdated, eventOf(record));
    return record;
  },
});
