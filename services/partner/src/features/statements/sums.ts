import type { Tx } from '../../handler.ts';
import type { Months } from './months.ts';

/** Totals of one month in one currency, in minor units. */
export interface Sums {
  opening: number;
  earned: number;
  adjustments: number;
  clawbacks: number;
  paid: number;
  closing: number;
  count: number;
}

interface Movement extends Omit<Sums, 'opening' | 'closing'> {
  currency: string;
  period: string;
}

/**
 * Monthly totals of recorded, cancelled and paid commissions of a partner. One pass over all entries serves any number
 * of months, because an opening balance is the sum of all earlier months. An entry cancelled in its own month is not
 * counted. An entry cancelled later stays in its month, which is final, and is reversed as an adjustment in the month
 * of the cancellation.
 */
export async function sumUp(
  tx: Tx,
  { partnerId, currencies, months }: { partnerId: number; currencies: string[]; months: Months },
): Promise<(month: StatementMonth) => Sums> {
  const { names, starts } = await monthsOfLedger(tx, partnerId, months);
  const movements = await tx.sql<Movement>`
    WITH entry AS (
      SELECT currency, type, amount_minor AS amount, names[width_bucket(created_at, starts)] AS recorded,
        names[width_bucket(paid_at, starts)] AS paid,
        CASE WHEN status = 'cancelled' THEN names[width_bucket(coalesce(cancelled_at, created_at), starts)] END AS cancelled
      FROM commission, (SELECT ${names}::text[] AS names, ${starts}::timestamptz[] AS starts) AS month
      WHERE partner_id = ${partnerId} AND currency = ANY(${currencies}))
    SELECT currency, period,
      coalesce(sum(amount) FILTER (WHERE kind = 'earned'), 0)::bigint AS earned,
      coalesce(sum(amount) FILTER (WHERE kind IN ('adjustment', 'cancellation')), 0)::bigint AS adjustments,
      coalesce(sum(amount) FILTER (WHERE kind = 'clawback'), 0)::bigint AS clawbacks,
      coalesce(sum(amount) FILTER (WHERE kind = 'paid'), 0)::bigint AS paid,
      count(*) FILTER (WHERE kind NOT IN ('paid', 'cancellation')) AS count
    FROM (
      SELECT currency, recorded AS period, type AS kind, amount FROM entry WHERE cancelled IS DISTINCT FROM recorded
      UNION ALL
      SELECT currency, cancelled, 'cancellation', -amount FROM entry WHERE cancelled <> recorded
      UNION ALL
      SELECT currency, paid, 'paid', amount FROM entry WHERE paid IS NOT NULL AND cancelled IS NULL
    ) AS movement GROUP BY currency, period ORDER BY period`;
  return (month) => sumsOf(movements, month);
}

/** The months since the first entry of a partner, for `width_bucket`. */
export async function monthsOfLedger(
  tx: Tx,
  partnerId: number,
  months: Months,
): Promise<{ names: string[]; starts: string[] }> {
  const now = new Date();
  const first = await tx.commission.findFirst({
    where: { partnerId },
    orderBy: { createdAt: 'asc' },
    select: { createdAt: true },
  });
  const all = months.between(first?.createdAt ?? now, now);
  return { names: all.map(({ month }) => month), starts: all.map(({ start }) => start.toISOString()) };
}

interface StatementMonth {
  currency: string;
  period: string;
}

function sumsOf(movements: Movement[], { currency, period }: StatementMonth): Sums {
  const ofCurrency = movements.filter((one) => one.currency === currency);
  const opening = ofCurrency
    .filter((one) => one.period < period)
    .reduce((sum, { earned, adjustments, clawbacks, paid }) => sum + earned + adjustments + clawbacks - paid, 0);
  const month = ofCurrency.find((one) => one.period === period);
  const { earned = 0, adjustments = 0, clawbacks = 0, paid = 0, count = 0 } = month ?? {};
  const closing = opening + earned + adjustments + clawbacks - paid;
  return { opening, earned, adjustments, clawbacks, paid, closing, count };
}
