import { pageDomainLost, pageDomainVerified } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { PageDomain as DomainRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { statusAfter } from '../dns/checks.ts';
import { findVerified } from './find-verified.ts';
import { asPageDomain, eventOf, type PageDomainTools } from './page-domain.ts';
import { type Check, neededRecords } from './records.ts';

interface Inside {
  tx: Tx;
  emit: Emit<typeof pageDomainVerified | typeof pageDomainLost>;
}

/**
 * Stores what a check of the DNS records found, and the status that follows from it. A host that is verified elsewhere
 * stays pending; a unique index makes sure of that for checks at the same time.
 * @throws ApiError 409 when the host was verified elsewhere meanwhile
 */
export async function applyChecks({ tx, emit }: Inside, tools: PageDomainTools, row: DomainRow, checks: Check[]) {
  const before = asPageDomain(tools, row);
  const isFree = !(await isVerifiedElsewhere(tx, row));
  const status = isFree ? statusAfter(before.status, neededRecords(tools, row), checks) : 'pending';
  const now = new Date();
  const verifiedAt = status === 'verified' ? (row.verifiedAt ?? now) : null;
  const data = { checks, status, verifiedAt, checkedAt: now, version: { increment: 1 } };
  const [written] = await tx.pageDomain.updateManyAndReturn({ where: { id: row.id }, data }).catch((error: unknown) => {
    throw isTaken(error) ? fail('host_taken') : error;
  });
  if (!written) throw fail('not_found');
  const record = asPageDomain(tools, written);
  const event = { ...eventOf(record), changes: { status: { from: before.status, to: status } } };
  if (before.status !== 'verified' && status === 'verified') emit(pageDomainVerified, event);
  if (before.status === 'verified' && status !== 'verified') emit(pageDomainLost, event);
  return record;
}

/** Whether another tenant, or the other environment, has a verified domain with the same host. */
async function isVerifiedElsewhere(tx: Tx, row: DomainRow): Promise<boolean> {
  const found = await findVerified(tx, row.host);
  return found !== undefined && found.id !== row.id;
}
