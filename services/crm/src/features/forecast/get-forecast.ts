import type { forecast } from '@tandem/crm-contract';
import { failField } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { type Converter, converterTo } from '../exchange-rates/exchange-rates.ts';
import { type KeyedPart, readParts } from './parts.ts';
import { type Period, periodsBetween } from './periods.ts';
import { type QuotaHolder, type QuotaOf, readQuotas } from './quotas-of.ts';
import { leaveOut, rounded, sumsOf } from './sums.ts';

const periodsMax = 24;
const dayMs = 86_400_000;
const yearMs = 365 * dayMs;
const keys = { owner: 'ownerId', team: 'teamId', stage: 'stageId' } as const;

type Query = z.output<typeof forecast.getForecast.query>;
type Found = { base: string; timezone: string };

export const getForecast = (peers: Peers): Handler<typeof forecast.getForecast, Found> => ({
  check: async ({ caller }) => ({ base: await peers.currencyOf(caller), timezone: await peers.timezoneOf(caller) }),
  async run({ query, tx, found: { base, timezone } }) {
    const periods = periodsOf(query, timezone);
    const converter = await converterTo(tx, { base, currency: query.currency ?? base });
    const quotaOf = await readQuotas(
      tx,
      periods.map(({ name }) => name),
      converter,
    );
    const summing: Summing = { tx, query, converter, quotaOf };
    // Together, because each waits for the database only.
    const buckets = await Promise.all([...periods, undefined].map((period) => bucketOf(summing, period)));
    return {
      timezone,
      buckets,
      currency: converter.currency,
      rates: converter.used(),
      unconverted: converter.unconverted(),
    };
  },
});

function periodsOf({ period: kind, from = new Date(), to = lastDay(from) }: Query, timezone: string): Period[] {
  if (to < from) throw failField('to', 'Must not be before from');
  const periods = periodsBetween(from, to, { kind, timezone, max: periodsMax + 1 });
  if (periods.length > periodsMax)
    throw failField('to', `The forecast has at most ${periodsMax} periods; send an earlier time`);
  return periods;
}

/** The last day of the periods of a year. */
function lastDay(from: Date): Date {
  return new Date(from.getTime() + yearMs - 31 * dayMs);
}

interface Summing {
  tx: Tx;
  query: Query;
  converter: Converter;
  quotaOf: QuotaOf;
}

/** The sums of a period; without a period, of open opportunities without a date. */
async function bucketOf({ tx, query, converter, quotaOf }: Summing, period: Period | undefined) {
  const { ownerId, teamId, pipelineId, groupBy } = query;
  const key = groupBy && keys[groupBy];
  const filters = {
    ...(ownerId !== undefined && { ownerId }),
    ...(teamId !== undefined && { teamId }),
    ...(pipelineId !== undefined && { pipelineId }),
  };
  const within = period && { gte: period.from, lt: period.to };
  const [open, won] = await Promise.all([
    readParts(tx, { ...filters, status: 'open', expectedCloseAt: within ?? null }, key),
    within ? readParts(tx, { ...filters, status: 'won', closedAt: within }, key) : [],
  ]);
  const parts = [...open, ...won];
  leaveOut(parts, converter);
  const sums = (some: KeyedPart[], holder: QuotaHolder | undefined) => {
    const quota = period && holder ? quotaOf(period.name, holder) : null;
    const { value: _value, expectedValue: _expected, ...rest } = sumsOf(some, converter);
    return { ...rest, quota, gap: quota === null ? null : rounded(quota - rest.closedWon, converter.currency) };
  };
  const groups = key
    ? [...Map.groupBy(parts, (part) => part[key] ?? null)].map(([value, own]) => ({
        [key]: value,
        ...sums(own, key === 'stageId' || value === null ? undefined : { [key]: value }),
      }))
    : [];
  return {
    period: period?.name ?? null,
    from: period?.from ?? null,
    to: period?.to ?? null,
    ...sums(parts, { ownerId, teamId }),
    groups,
  };
}
