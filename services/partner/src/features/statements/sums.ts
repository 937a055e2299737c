import type { Statement as StatementRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Movement } from '../ledger/post-to-ledger.ts';

/** Totals of one month in one currency, in minor units. */
export interface Sums extends Movement {
  opening: number;
  closing: number;
}

/**
 * Reads the totals of statements of one partner. The opening balance of a month is the sum of all earlier months in that
 * currency, of which there are twelve in a year.
 */
export async function sumUp(
  tx: Tx,
  partnerId: number,
  currencies: readonly string[],
): Promise<(statement: StatementRow) => Sums> {
  const rows = await tx.statement.findMany({ where: { partnerId, currency: { in: [...new Set(currencies)] } } });
  return (statement) => {
    const opening = rows
      .filter(({ currency, period }) => currency === statement.currency && period < statement.period)
      .reduce((sum, row) => sum + netOf(row), 0);
    return {
      opening,
      earned: statement.earnedMinor,
      adjustments: statement.adjustmentsMinor,
      clawbacks: statement.clawbacksMinor,
      paid: statement.paidMinor,
      count: statement.commissionCount,
      closing: opening + netOf(statement),
    };
  };
}

/** The balances of partners in each currency, in minor units: what they earned and were not paid yet. */
export async function balancesOf(
  tx: Tx,
  partnerIds: readonly number[],
): Promise<{ partnerId: number; currency: string; minor: number }[]> {
  return tx.sql`
    SELECT partner_id AS "partnerId", currency,
      sum(earned_minor + adjustments_minor + clawbacks_minor - paid_minor)::bigint AS minor
    FROM statement WHERE partner_id = ANY(${[...partnerIds]}::bigint[])
    GROUP BY partner_id, currency ORDER BY partner_id, currency`;
}

function netOf({ earnedMinor, adjustmentsMinor, clawbacksMinor, paidMinor }: StatementRow): number {
  return earnedMinor + adjustmentsMinor + clawbacksMinor - paidMinor;
}
