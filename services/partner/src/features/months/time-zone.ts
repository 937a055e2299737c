import type { KnownSettings } from '@tandem/identity-contract';
import type { Tx } from '../../handler.ts';
import { type Months, monthsOf } from './months.ts';

/** The months of the tenant. */
export async function readMonths(tx: Tx): Promise<Months> {
  return monthsOf(await tx.timeZoneChange.findMany({ orderBy: [{ since: 'asc' }, { id: 'asc' }] }));
}

/**
 * The months of the tenant. Records its time zone if none is known, because tenants that are older than these records
 * sent no event.
 */
export async function monthsWith(tx: Tx, settings: KnownSettings): Promise<Months> {
  if (settings && !(await tx.timeZoneChange.count())) await setTimeZone(tx, { ...settings, version: 0 });
  return readMonths(tx);
}

/**
 * Sets the time zone of the tenant from now on. Events arrive in any order, so that of an older version has no effect.
 * Locks until the end of the transaction, so that the changes are in order of time.
 */
export async function setTimeZone(tx: Tx, { timezone, version }: { timezone: string; version: number }): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('time zone',
    platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
  const latest = await tx.timeZoneChange.findFirst({ orderBy: { version: 'desc' } });
  if (latest && latest.version >= version) return;
  if (latest?.timezone === timezone)
    await tx.timeZoneChange.updateMany({ where: { version: latest.version }, data: { version } });
  else await tx.timeZoneChange.create({ data: { timezone, version, since: new Date() } });
}
