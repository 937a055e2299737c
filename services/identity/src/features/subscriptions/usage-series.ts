import type { usage } from '@tandem/identity-contract';
import { failField } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { usageHourDays } from '../access/usage.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const intervalsMax = { day: 366, hour: 744 };

/** The time that a series covers: whole intervals. */
export interface UsageRange {
  from: Date;
  to: Date;
  granularity: 'day' | 'hour';
}

type Query = z.output<typeof usage.getSubscriptionUsage.query>;

/** The range of a query: by default the period until now. Reports what is too long, or no longer kept. */
export function rangeOf(
  { from, to, granularity, groupBy }: Query,
  { period, now }: { period: { start: Date; end: Date }; now: Date },
): UsageRange {
  const intervalMs = granularity === 'day' ? dayMs : hourMs;
  const end = to ?? new Date(Math.min(now.getTime(), period.end.getTime()));
  const begin = Math.floor((from ?? period.start).getTime() / intervalMs) * intervalMs;
  // The first instant of a period has one interval.
  const until = Math.max(begin + (to ? 0 : intervalMs), Math.ceil(end.getTime() / intervalMs) * intervalMs);
  if (until <= begin) throw failField(to ? 'to' : 'from', to ? 'Must be after from' : 'Must be before now');
  const max = intervalsMax[granularity];
  if ((until - begin) / intervalMs > max)
    throw failField('from', `Must be at most ${max} ${granularity === 'day' ? 'days' : 'hours'} before to`);
  const isDetailed = granularity === 'hour' || groupBy !== undefined;
  if (isDetailed && begin < now.getTime() - usageHourDays * dayMs)
    throw failField('from', `Must be within the last ${usageHourDays} days, for which hours and groups are kept`);
  return { from: new Date(begin), to: new Date(until), granularity };
}

/** Calls per day or hour, including those without calls. */
export async function seriesOf(tx: Tx, tenantId: number, range: UsageRange) {
  const { from, to, granularity } = range;
  const intervalMs = granularity === 'day' ? dayMs : hourMs;
  const starts: Date[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += intervalMs) starts.push(new Date(at));
  const calls = granularity === 'day' ? await callsByDay(tx, tenantId, range) : await callsByHour(tx, tenantId, range);
  return starts.map((start) => ({ date: dayOf(start), start, calls: calls.get(start.getTime()) ?? 0 }));
}

async function callsByDay(tx: Tx, ownerTenantId: number, { from, to }: UsageRange): Promise<Map<number, number>> {
  const day = { gte: dayOf(from), lt: dayOf(to) };
  const rows = await tx.usageDay.findMany({ where: { ownerTenantId, day } });
  return new Map(rows.map((row) => [Date.parse(row.day), row.calls]));
}

async function callsByHour(tx: Tx, tenantId: number, { from, to }: UsageRange): Promise<Map<number, number>> {
  const rows = await tx.sql<{ hour: Date; calls: number }>`
    SELECT hour, sum(calls)::float8 AS calls FROM usage_hour
    WHERE owner_tenant_id = ${tenantId} AND hour >= ${from} AND hour < ${to} GROUP BY hour`;
  return new Map(rows.map(({ hour, calls }) => [hour.getTime(), calls]));
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
