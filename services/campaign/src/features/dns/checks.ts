import type { DnsRecordStatus } from '@tandem/campaign-contract';
import type { z } from 'zod';

type RecordStatus = z.output<typeof DnsRecordStatus>;
type DomainStatus = 'pending' | 'verified';

/** The result of the look-up of a DNS record. A type, not an interface, so that it can be stored as JSON. */
export type Check<Purpose extends string = string> = {
  purpose: Purpose;
  status: RecordStatus;
  found: string[];
};

// Limits of the values in a reply: some domains have dozens under one name.
const foundMax = 10;
const foundLengthMax = 600;

/** The values of a look-up as a reply shows them. */
export function shownValues(values: readonly string[]): string[] {
  return values.slice(0, foundMax).map((value) => value.slice(0, foundLengthMax));
}

/** The records that a domain needs, each with the result of the last check. */
export function withChecks<Needed extends { purpose: string }>(needed: readonly Needed[], checks: readonly Check[]) {
  return needed.map((record) => {
    const check = checks.find(({ purpose }) => purpose === record.purpose);
    return { ...record, status: check?.status ?? ('unchecked' as const), found: check?.found ?? [] };
  });
}

/** The status of a domain after a check of its records. */
export function statusAfter(
  before: DomainStatus,
  needed: readonly { purpose: string; required: boolean }[],
  checks: readonly Check[],
): DomainStatus {
  const required = needed.flatMap(({ purpose, required }) => (required ? [purpose] : []));
  const results = checks.filter(({ purpose }) => required.includes(purpose)).map(({ status }) => status);
  if (results.every((result) => result === 'found')) return 'verified';
  // An outage of name servers says nothing about the records.
  if (results.some((result) => result === 'missing' || result === 'wrong')) return 'pending';
  return before;
}
