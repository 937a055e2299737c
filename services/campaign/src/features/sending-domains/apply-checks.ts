import { sendingDomainLost, sendingDomainUpdated, sendingDomainVerified } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import { fail } from '@tandem/service';
import type { SendingDomain as DomainRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { statusAfter } from '../dns/checks.ts';
import { type Check, neededRecords } from './records.ts';
import { asSendingDomain, eventOf, type SendingDomainRecord } from './sending-domain.ts';

interface Inside {
  tx: Tx;
  emit: Emit<typeof sendingDomainVerified | typeof sendingDomainLost | typeof sendingDomainUpdated>;
}

/**
 * Stores what a check of the DNS records found, and the status that follows from it. The new key of a rotation replaces the
 * old one when its record was found.
 */
export async function applyChecks(
  { tx, emit }: Inside,
  tools: Pick<Tools, 'spf'>,
  row: DomainRow,
  looked: Check[],
): Promise<SendingDomainRecord> {
  const rotated = rotatedKey(row, looked);
  const checks = rotated ? asRotated(looked) : looked;
  const before = asSendingDomain(tools, row);
  const status = statusAfter(before.status, neededRecords(row, tools.spf), checks);
  const now = new Date();
  const verifiedAt = status === 'verified' ? (row.verifiedAt ?? now) : null;
  const [written] = await tx.sendingDomain.updateManyAndReturn({
    where: { id: row.id },
    data: { ...rotated, checks, status, verifiedAt, checkedAt: now, version: { increment: 1 } },
  });
  if (!written) throw fail('not_found');
  const record = asSendingDomain(tools, written);
  const event = { ...eventOf(record), changes: { status: { from: before.status, to: status } } };
  if (before.status !== 'verified' && status === 'verified') emit(sendingDomainVerified, event);
  if (before.status === 'verified' && status !== 'verified') emit(sendingDomainLost, event);
  if (rotated) emit(sendingDomainUpdated, eventOf(record));
  return record;
}

function rotatedKey({ nextSelector, nextPublicKey, nextPrivateKey }: DomainRow, looked: readonly Check[]) {
  const isFound = looked.some(({ purpose, status }) => purpose === 'next_dkim' && status === 'found');
  if (!isFound || nextSelector === null || nextPublicKey === null || nextPrivateKey === null) return undefined;
  const none = { nextSelector: null, nextPublicKey: null, nextPrivateKey: null };
  return { selector: nextSelector, publicKey: nextPublicKey, privateKey: nextPrivateKey, ...none };
}

/** The record of the new key is now that of the key. */
function asRotated(looked: readonly Check[]): Check[] {
  return looked
    .filter(({ purpose }) => purpose !== 'dkim')
    .map((check) => (check.purpose === 'next_dkim' ? { ...check, purpose: 'dkim' } : check));
}
