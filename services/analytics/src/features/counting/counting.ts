import { dayOf } from '@tandem/time-zones';
import type { Tx } from '../../handler.ts';

/** The time zone in which a tenant is counted until its settings are known. */
export const unknownTimezone = 'UTC';

/** The time zone by whose days the records of a tenant are counted. */
export interface Counting {
  timezone: string;
  /** The day of a time in this zone, as YYYY-MM-DD. */
  dayOf(at: Date): string;
}

/**
 * The counting of the tenant. It does not change until the end of the transaction, so that each record is counted either
 * before or after a change of the time zone.
 */
export async function holdCounting(tx: Tx): Promise<Counting> {
  await tx.sql`SELECT pg_advisory_xact_lock_shared(
    hashtextextended('counting', platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
  const row = await tx.counting.findFirst({ select: { timezone: true } });
  return countingIn(row?.timezone ?? unknownTimezone);
}

/** The time zone by whose days the tenant is counted, and whether a job still counts records again after a change. */
export async function readTimezone(tx: Tx): Promise<{ timezone: string; isChanging: boolean }> {
  const row = await tx.counting.findFirst({
    select: { timezone: true, wantedTimezone: true, timezoneBefore: true },
  });
  if (!row) return { timezone: unknownTimezone, isChanging: false };
  const { timezone, wantedTimezone, timezoneBefore } = row;
  return { timezone, isChanging: timezone !== wantedTimezone || timezoneBefore !== null };
}

/** Waits for the transactions that count, and lets no other one begin until the end of this one. */
export async function stopCounting(tx: Tx): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(
    hashtextextended('counting', platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
}

/** The counting by days of a time zone. */
export function countingIn(timezone: string): Counting {
  return { timezone, dayOf: (at) => dayOf(at, timezone) };
}
