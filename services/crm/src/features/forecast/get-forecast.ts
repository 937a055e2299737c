import type { Caller } from '@tandem/caller';
import { fromMinor, toMinor } from '@tandem/contract';
import type { forecast } from '@tandem/crm-contract';
import { failField } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { type Converter, converterTo } from '../exchange-rates/exchange-rates.ts';
import { type KeyedPart, readParts } from './parts.ts';
import { type Period, periodsBetween } from './periods.ts';
import { comparedHolder, type QuotaHolder, type Quotas, readQuotas, summedHolder } from './quotas-of.ts';
import { leaveOut, sumsOf } from './sums.ts';

const periodsMax = 24;
/** Periods of a year, which a forecast without `to` has. */
const periodsOfYear = { month: 12, quarter: 4 } as const;
const keys = { owner: 'ownerId', team: 'teamId', stage: 'stageId' } as const;

type Query = z.output<typeof forecast.getForecast.query>;
type Found = { base: string; timezone: string };

export const getForecast = (peers: Peers): Handler<typeof forecast.getForecast, Found> => ({
  check: async ({ caller }) => ({ base: await peers.currencyOf(caller), timezone: await peers.timezoneOf(caller) }),
  async run({ query, caller, tx, found: { base, timezone } }) {
    const periods = periodsOf(query, timezone);
    const converter = await converterTo(tx, { base, currency: query.currency ?? base });
    const quotas = await readQuotas(
      tx,
      periods.map(({ name }) => name),
      converter,
    );
    const summing: Summing = { tx, query: { ...query, ...summedHolder(caller, query) }, caller, converter, quotas };
    const [{ from }] = periods as [Period, ...Period[]];
    const spans: Span[] = [
      ...periods.map((period) => ({ kind: 'period' as const, ...period })),
      { kind: 'earlier', name: null, from: null, to: from },
      { kind: 'undated', name: null, from: null, to: null },
    ];
    // Together, because each waits for the database only.
    const buckets = await Promise.all(spans.map((span) => bucketOf(summing, span)));
    return {
      timezone,
      buckets,
      currency: converter.currency,
      rates: converter.used(),
      unconverted: converter.unconverted(),
    };
  },
});

function periodsOf({ period: kind, from = new Date(), to }: Query, timezone: string): Period[] {
  if (!to) return periodsBetween(from, to, { kind, timezone, max: periodsOfYear[kind] });
  if (to < from) throw failField('to', 'Must not be before from');
  const periods = periodsBetween(from, to, { kind, timezone, max: periodsMax + 1 });
  if (periods.length > periodsMax)
    throw failField('to', `The forecast has at most ${periodsMax} periods; send an earlier time`);
  return periods;
}

interface Summing {
  tx: Tx;
  query: Omit<Query, keyof QuotaHolder> & QuotaHolder;
  caller: Caller;
  converter: Converter;
  quotas: Quotas;
}

/** A period, the time before the first one, or no time at all. */
type Span =
  | (Period & { kind: 'period' })
  | { kind: 'earlier'; name: null; from: null; to: Date }
  | { kind: 'undated'; name: null; from: null; to: null };

/** The sums of open opportunities that are expected to close in a span, and of those that were won in a period. */
async function bucketOf({ tx, query, caller, converter, quotas }: Summing, span: Span) {
  const { ownerId, teamId, pipelineId, groupBy } = query;
  const key = groupBy && keys[groupBy];
  const filters = {
    ...(ownerId !== undefined && { ownerId }),
    ...(teamId !== undefined && { teamId }),
    ...(pipelineId !== undefined && { pipelineId }),
  };
  const { kind, name: period, from, to } = span;
  const within = to && { ...(from && { gte: from }), lt: to };
  const [open, won] = await Promise.all([
    readParts(tx, { ...filters, status: 'open', expectedCloseAt: within }, key),
    kind === 'period' ? readParts(tx, { ...filters, status: 'won', closedAt: within }, key) : [],
  ]);
  const parts = [...open, ...won];
  leaveOut(parts, converter);
  // Quotas are set for all pipelines together.
  const compared = (summed: QuotaHolder | undefined) =>
    summed && pipelineId === undefined ? comparedHolder(caller, summed) : undefined;
  const sums = (some: KeyedPart[], summed: QuotaHolder | undefined) => {
    const holder = compared(summed);
    const quota = kind === 'period' && holder ? quotas.of(span.name, holder) : null;
    const { value: _value, expectedValue: _expected, ...rest } = sumsOf(some, converter);
    return { ...rest, quota, gap: quota === null ? null : difference(quota, rest.closedWon, converter.currency) };
  };
  /** A stage has no quota, and neither has the part of a team's deals that one owner has. */
  const holderOf = (value: number | null): QuotaHolder | undefined => {
    if (value === null || key === 'stageId') return undefined;
    if (key === 'ownerId') return typeof teamId === 'number' ? undefined : { ownerId: value };
    return ownerId === undefined ? { teamId: value } : undefined;
  };
  const byKey = key ? Map.groupBy(parts, (part) => part[key] ?? null) : new Map<number | null, KeyedPart[]>();
  // Owners or teams with a quota and without opportunities: their gap is the whole quota.
  const awaited =
    kind === 'period' && key && key !== 'stageId'
      ? quotas.holders(span.name, key).filter((value) => {
          const asked = key === 'ownerId' ? ownerId : teamId;
          return !byKey.has(value) && (asked === undefined || asked === value) && compared(holderOf(value));
        })
      : [];
  const groups = [...byKey, ...awaited.map((value) => [value, []] as const)].map(([value, own]) => ({
    ...(key && { [key]: value }),
    ...sums([...own], holderOf(value)),
  }));
  return { kind, period, from, to, ...sums(parts, { ownerId, teamId }), groups };
}

function difference(one: number, other: number, currency: string): number {
  return fromMinor(toMinor(one, currency) - toMinor(other, currency), currency);
}
