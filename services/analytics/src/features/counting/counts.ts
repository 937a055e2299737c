import { engagementTypes } from '@tandem/analytics-contract';
import type { Tx } from '../../handler.ts';

/** What a record adds to a sum: to one of a day, or without `day` to one of the present. */
export interface Count {
  name: MeasureName;
  /** The day as YYYY-MM-DD in the time zone of the tenant. */
  day?: string;
  /** A status, a source or a currency. */
  value?: string;
  userId?: number | null;
  teamId?: number | null;
  count: number;
  amount?: number;
}

/** The sums that are kept, with the meaning of `day` and `value`. */
export type MeasureName =
  // Of the present, by status and by source.
  | 'leads.status'
  | 'leads.source'
  // By the day on which the lead was created, and its source.
  | 'leads.new'
  | 'leads.converted'
  // By the day of the conversion.
  | 'leads.conversions'
  | 'opportunities.status'
  // Open ones, by currency.
  | 'opportunities.pipeline'
  | 'opportunities.new'
  // By the day on which the deal was closed, and the currency. The amount of the cycle is in seconds.
  | 'opportunities.won'
  | 'opportunities.lost'
  | 'opportunities.cycle'
  | 'partners.status'
  // By the day on which the commission was earned, and its currency.
  | 'commissions.earned'
  | 'tasks.open'
  // Open ones, by the day on which they are due.
  | 'tasks.due'
  | 'tasks.completed'
  // By the day of the event: whether a machine caused it, or it is the first one of a person for the message, of which a click
  // can be the first sign that the person opened it.
  | `engagement.${string}`;

/** The sums of engagement events. */
export const engagementNames = engagementTypes.map((type): MeasureName => `engagement.${type}`);

/** Sums by day: of leads with their opportunities and events, of tasks, and of partners, which have no owner. */
export const datedNames: Record<'ofLeads' | 'ofTasks' | 'ofPartners', MeasureName[]> = {
  ofLeads: [
    ...(['leads.new', 'leads.converted', 'leads.conversions'] as const),
    ...(['opportunities.new', 'opportunities.won', 'opportunities.lost', 'opportunities.cycle'] as const),
    ...engagementNames,
  ],
  ofTasks: ['tasks.completed', 'tasks.due'],
  ofPartners: ['commissions.earned'],
};

/** Sums of the present. */
export const presentNames: typeof datedNames = {
  ofLeads: ['leads.status', 'leads.source', 'opportunities.status', 'opportunities.pipeline'],
  ofTasks: ['tasks.open'],
  ofPartners: ['partners.status'],
};

/** The day of sums of the present, which no record has. */
export const present = '0001-01-01';

/** Requests add to one of so many rows, so that they do not wait for each other. */
const shards = 4;

/**
 * Adds to the sums of the tenant. Call it once in a transaction, as its last statement: the rows stay locked until the commit,
 * and are locked in one order.
 * @param options.isShared whether many transactions add to the same sums at once, as requests do
 */
export async function addCounts(tx: Tx, counts: readonly Count[], { isShared = false } = {}): Promise<void> {
  const rows = summed(counts);
  if (!rows.length) return;
  const shard = isShared ? Math.floor(Math.random() * shards) : 0;
  await tx.sql`
    INSERT INTO measure (name, day, value, user_id, team_id, shard, count, amount)
    SELECT name, day, value, user_id, team_id, ${shard}::smallint, count, amount
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS row (name text, day date, value text, user_id bigint, team_id bigint, count bigint, amount numeric)
    ORDER BY name, day, value, user_id, team_id
    ON CONFLICT (tenant_id, environment, name, day, value, user_id, team_id, shard) DO UPDATE
      SET count = measure.count + excluded.count, amount = measure.amount + excluded.amount`;
}

/** What no longer counts. */
export function negated(counts: readonly Count[]): Count[] {
  return counts.map(({ count, amount = 0, ...rest }) => ({ ...rest, count: -count, amount: -amount }));
}

interface Row {
  name: string;
  day: string;
  value: string;
  user_id: number;
  team_id: number;
  count: number;
  /** Added up by PostgreSQL as a decimal number, so that sums of cents are exact. */
  amount: string | number;
}

/** One row per sum, without those that do not change. */
function summed(counts: readonly Count[]): Row[] {
  const rows = new Map<string, Row & { amount: number }>();
  for (const { name, day = present, value = '', userId, teamId, count, amount = 0 } of counts) {
    const key = JSON.stringify([name, day, value, userId ?? 0, teamId ?? 0]);
    const row = rows.get(key) ?? { name, day, value, user_id: userId ?? 0, team_id: teamId ?? 0, count: 0, amount: 0 };
    rows.set(key, { ...row, count: row.count + count, amount: row.amount + amount });
  }
  return [...rows.values()]
    .map((row) => ({ ...row, amount: Number(row.amount.toFixed(4)) }))
    .filter(({ count, amount }) => count !== 0 || amount !== 0);
}
