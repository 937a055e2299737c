import { sendingDomainLost, type sendingDomainStatuses, sendingDomainVerified } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import { fail } from '@tandem/service';
import type { SendingDomain as DomainRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { type Check, neededRecords } from './records.ts';
import { asSendingDomain, eventOf, type SendingDomainRecord } from './sending-domain.ts';

type Status = (typeof sendingDomainStatuses)[number];

interface Inside {
  tx: Tx;
  emit: Emit<typeof sendingDomainVerified | typeof sendingDomainLost>;
}

/** Stores what a check of the DNS records found, and the status that follows from it. */
export async function applyChecks(
  { tx, emit }: Inside,
  tools: Pick<Tools, 'spf'>,
  row: DomainRow,
  checks: Check[],
): Promise<SendingDomainRecord> {
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
}

function statusAfter(before: Status, results: readonly Check['status'][]): Status {
  if (results.every((result) => result === 'found')) return 'verified';
  // An outage of name servers says nothing about the records.
  if (results.some((result) => result === 'missing' || result === 'wrong')) return 'pending';
  return before;
}
