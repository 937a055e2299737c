import type { CohortQuery } from '@tandem/analytics-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { rowBytes } from '../timelines/timeline.ts';
import { type Begun, type Deeds, type Packed, readConversions, readEngagement, readRevenue } from './read-rows.ts';

type Query = z.output<typeof CohortQuery>;

interface Analysis extends Pick<Deeds, 'begun' | 'boundaries'> {
  /** When the leads began, as packed rows (timeline.ts). */
  leads: Buffer;
  periods: number;
  metric: NonNullable<Query['metric']>;
  currency: string | undefined;
  max: number;
}

// The events of so many leads are found by lead; those of more leads by time.
const knownLeadsMax = 20_000;
// The events of 20,000,000 in a year that one statement reads in its 5 s are those of a few weeks.
const statementsMax = 12;

/** Reads the engagement, conversions or won deals of leads, as the metric says, until the last interval that has ended. */
export async function readDone(tx: Tx, { leads, metric, currency, max, ...analysis }: Analysis): Promise<Packed> {
  const { begun, boundaries } = analysis;
  const leadIds = leads.byteLength <= knownLeadsMax * rowBytes ? idsOf(leads) : undefined;
  const whole = { begun, boundaries, leadIds, within: { from: begun.from, to: new Date(boundaries.at(-1) as number) } };
  if (metric === 'converted') return readConversions(tx, whole, max);
  if (metric === 'revenue') return readRevenue(tx, whole, { currency: currency as string, max });
  const parts = leadIds ? [whole] : partsOf(analysis);
  const read: Buffer[] = [];
  let left = max;
  for (const part of parts) {
    const { rows } = await readEngagement(tx, part, left);
    read.push(rows);
    left -= rows.byteLength / rowBytes;
    if (left < 0) break;
  }
  return { rows: Buffer.concat(read), amounts: new Float64Array() };
}

function idsOf(leads: Buffer): number[] {
  return Array.from({ length: leads.byteLength / rowBytes }, (_, row) => Number(leads.readBigInt64BE(row * rowBytes)));
}

/** The ended intervals in at most `statementsMax` parts, each with the leads of which it is one of the periods. */
function partsOf({ begun, boundaries, periods }: Pick<Analysis, 'begun' | 'boundaries' | 'periods'>): Deeds[] {
  const ended = boundaries.filter((time) => time <= Date.now());
  const size = Math.ceil((ended.length - 1) / statementsMax);
  const parts: Deeds[] = [];
  for (let first = 0; first + 1 < ended.length; first += size) {
    const [from, to] = [ended[first] as number, ended[Math.min(first + size, ended.length - 1)] as number];
    const began = ended[Math.max(0, first - periods + 1)] as number;
    const leads: Begun = { ...begun, from: new Date(began), to: new Date(Math.min(to, begun.to.getTime())) };
    parts.push({ begun: leads, boundaries, within: { from: new Date(from), to: new Date(to) } });
  }
  return parts;
}
