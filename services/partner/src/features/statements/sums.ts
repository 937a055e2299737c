import type { Statement as StatementRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Movement } from '../ledger/post-to-ledger.ts';

/** Totals of one month in one currency, in minor units. */
export interface Sums extends Movement {
  opening: number;
  closing: number;
}

/**
 * Reads the totals of statements. The opening balance of a month is the sum of all earlier months of the partner in that
 * currency, of which there are twelve in a year.
 */
export async function sumUp(
  tx: Tx,
  statements: readonly Pick<StatementRow, 'partnerId' | 'currency'>[],
): Promise<(statement: StatementRow) => Sums> {
  const partnerIds = [...new Set(statements.map(({ partnerId }) => partnerId))];
  const currencies = [...new Set(statements.map(({ currency }) => currency))];
  const rows = await tx.statement.findMany({
    where: { partnerId: { in: partnerIds }, currency: { in: currencies } },
  });
  const byPartner = Map.groupBy(rows, ({ partnerId, currency }) => `${partnerId} ${currency}`);
  return (statement) => {
    const opening = (byPartner.get(`${statement.partnerId} ${statement.currency}`) ?? [])
      .filter(({ period }) => period < statement.period)
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
