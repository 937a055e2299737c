import {
  sendingDomainLost,
  type sendingDomainStatuses,
  type sendingDomains,
  sendingDomainVerified,
} from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { type Check, checkRecords, neededRecords } from './records.ts';
import { asSendingDomain, eventOf, lockSendingDomain } from './sending-domain.ts';

export const verifySendingDomain = (
  tools: Pick<Tools, 'spf' | 'readTxt'>,
): Handler<typeof sendingDomains.verifySendingDomain, Check[]> => ({
  async check({ params, tx }) {
    const row = await tx.sendingDomain.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    return checkRecords(tools.readTxt, row, tools.spf);
  },
  async run({ params, found: checks, tx, emit, ifMatch }) {
    const row = await lockSendingDomain(tx, params.id);
    ifMatch(row);
    const required = neededRecords(row, tools.spf).flatMap(({ purpose, required }) => (required ? [purpose] : []));
    const results = checks.filter(({ purpose }) => required.includes(purpose)).map(({ status }) => status);
    const before = asSendingDomain(tools, row);
    const status = statusAfter(before.status, results);
    const now = new Date();
    const verifiedAt = status === 'verified' ? (row.verifiedAt ?? now) : null;
    const [written] = await tx.sendingDomain.updateManyAndReturn({
      where: { id: row.id },
      data: { checks, status, verifiedAt, checkedAt: now, version: { increment: 1 } },
    });
    if (!written) throw fail('not_found');
    const record = asSendingDomain(tools, written);
    const event = { ...eventOf(record), changes: { status: { from: before.status, to: status } } };
    if (before.status !== 'verified' && status === 'verified') emit(sendingDomainVerified, event);
    if (before.status === 'verified' && status !== 'verified') emit(sendingDomainLost, event);
    return record;
  },
});

type Status = (typeof sendingDomainStatuses)[number];

function statusAfter(before: Status, results: readonly Check['status'][]): Status {
  if (results.every((result) => result === 'found')) return 'verified';
  // An outage of name servers says nothing about the records.
  if (results.some((result) => result === 'missing' || result === 'wrong')) return 'pending';
  return before;
}
