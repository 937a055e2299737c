import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Months } from '../months/months.ts';
import { readMonths } from '../months/time-zone.ts';

/** The columns of a statement that add up to its closing balance, in minor units, and the number of commissions. */
export interface Movement {
  earned: number;
  adjustments: number;
  clawbacks: number;
  paid: number;
  count: number;
}

interface Entry {
  partner_id: number;
  currency: string;
  period: string;
  kind: string;
  amount_minor: number;
  commission_id: number;
  payout_id: number | null;
  reason: string | null;
  created_at: Date;
}

/**
 * Adds the entries of commissions that were recorded, cancelled or paid to the ledger, and to the statements of their
 * months. Entries that the ledger has already are left out, so that a repetition changes nothing.
 * @throws when a statement was finalized after the time of an entry
 */
export async function postToLedger(tx: Tx, commissions: readonly CommissionRow[]): Promise<void> {
  if (!commissions.length) return;
  const months = await readMonths(tx);
  const periodOf = await openMonths(tx, months, commissions);
  const moves = new Map(
    commissions.flatMap((commission) =>
      entriesOf(commission, periodOf, months.of).map(
        (one) => [keyOf(one.entry.commission_id, one.entry.kind), one] as const,
      ),
    ),
  );
  // In the order of ids, so that two transactions cannot wait for each other.
  const entries = [...moves.values()]
    .map(({ entry }) => entry)
    .sort((one, two) => one.commission_id - two.commission_id);
  const added = await tx.sql<{ id: number; kind: string }>`
    INSERT INTO ledger_entry (partner_id, currency, period, kind, amount_minor, commission_id, payout_id, reason,
      created_at)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) AS entry
      (partner_id bigint, currency text, period text, kind text, amount_minor bigint, commission_id bigint,
        payout_id bigint, reason text, created_at timestamptz)
    ON CONFLICT (tenant_id, environment, commission_id, kind) DO NOTHING RETURNING commission_id AS id, kind`;
  await addToStatements(
    tx,
    added.flatMap(({ id, kind }) => moves.get(keyOf(id, kind)) ?? []),
  );
}

/** The month in which an entry of a partner is recorded. */
type PeriodOf = (at: Date, commission: CommissionRow) => string;

/** The months of the times of entries. An entry of a month whose statement is final belongs to the current month. */
async function openMonths(tx: Tx, months: Months, commissions: readonly CommissionRow[]): Promise<PeriodOf> {
  const current = months.of(new Date());
  // Only the changes that the release before the ledger has written are older.
  if (commissions.every(({ createdAt }) => months.of(createdAt) === current)) return months.of;
  const partnerIds = [...new Set(commissions.map(({ partnerId }) => partnerId))];
  const rows = await tx.statement.findMany({
    where: { partnerId: { in: partnerIds }, finalizedAt: { not: null } },
    select: { partnerId: true, period: true, currency: true },
  });
  const final = new Set(rows.map(({ partnerId, period, currency }) => `${partnerId} ${period} ${currency}`));
  return (at, { partnerId, currency }) => {
    const period = months.of(at);
    return final.has(`${partnerId} ${period} ${currency}`) ? current : period;
  };
}

const keyOf = (commissionId: number, kind: string) => `${commissionId} ${kind}`;

/** The ledger states of a commission by its status: which of its changes have entries. */
export function ledgerStateOf(status: string): 'recorded' | 'cancelled' | 'paid' {
  return status === 'cancelled' || status === 'paid' ? status : 'recorded';
}

interface Move {
  entry: Entry;
  movement: Movement;
}

function entriesOf(commission: CommissionRow, periodOf: PeriodOf, monthOf: Months['of']): Move[] {
  const { id, partnerId, currency, amountMinor: amount, type, status, createdAt, payoutId, reason } = commission;
  const common = { partner_id: partnerId, currency, commission_id: id };
  const move = (kind: string, signed: number, at: Date, movement: Partial<Movement>): Move => ({
    entry: {
      ...common,
      kind,
      amount_minor: signed,
      period: periodOf(at, commission),
      payout_id: kind === 'payment' ? payoutId : null,
      reason: kind === 'payment' ? null : reason,
      created_at: at,
    },
    movement: { ...nothing, ...movement },
  });
  const moves = [move(type, amount, createdAt, { [columnOf(type)]: amount, count: 1 })];
  if (status === 'cancelled') {
    // Rows of early releases have no time.
    const at = commission.cancelledAt ?? createdAt;
    // A commission that is cancelled in its own month is not counted; a past month stays as it is.
    const undone = monthOf(at) === monthOf(createdAt);
    moves.push(
      move('cancellation', -amount, at, undone ? { [columnOf(type)]: -amount, count: -1 } : { adjustments: -amount }),
    );
  }
  if (status === 'paid' && commission.paidAt) moves.push(move('payment', -amount, commission.paidAt, { paid: amount }));
  return moves;
}

const nothing: Movement = { earned: 0, adjustments: 0, clawbacks: 0, paid: 0, count: 0 };

function columnOf(type: string): keyof Movement {
  if (type === 'clawback') return 'clawbacks';
  return type === 'adjustment' ? 'adjustments' : 'earned';
}

/** Adds to the sums of the statements, which are created if necessary and locked until the end of the transaction. */
async function addToStatements(tx: Tx, moves: Move[]): Promise<void> {
  if (!moves.length) return;
  const sums = new Map<string, Movement & Pick<Entry, 'partner_id' | 'period' | 'currency'>>();
  for (const { entry, movement } of moves) {
    const { partner_id, period, currency } = entry;
    const key = `${partner_id} ${period} ${currency}`;
    const sum = sums.get(key) ?? { partner_id, period, currency, ...nothing };
    for (const column of Object.keys(nothing) as (keyof Movement)[]) sum[column] += movement[column];
    sums.set(key, sum);
  }
  const written = await tx.sql`
    INSERT INTO statement (partner_id, period, currency, earned_minor, adjustments_minor, clawbacks_minor, paid_minor,
      commission_count)
    SELECT partner_id, period, currency, earned, adjustments, clawbacks, paid, count
    FROM jsonb_to_recordset(${JSON.stringify([...sums.values()])}::jsonb) AS sum (partner_id bigint, period text,
      currency text, earned bigint, adjustments bigint, clawbacks bigint, paid bigint, count int)
    ORDER BY partner_id, period, currency
    ON CONFLICT (tenant_id, environment, partner_id, period, currency) DO UPDATE SET
      earned_minor = statement.earned_minor + excluded.earned_minor,
      adjustments_minor = statement.adjustments_minor + excluded.adjustments_minor,
      clawbacks_minor = statement.clawbacks_minor + excluded.clawbacks_minor,
      paid_minor = statement.paid_minor + excluded.paid_minor,
      commission_count = statement.commission_count + excluded.commission_count
    WHERE statement.finalized_at IS NULL RETURNING id`;
  // The statement was finalized a moment ago: a repetition writes into the current month.
  if (written.length < sums.size) throw new Error('a statement of these entries is final');
}
