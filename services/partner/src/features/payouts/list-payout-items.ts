import { fromMinor } from '@tandem/contract';
import { PayoutItem, type payouts } from '@tandem/partner-contract';
import type { Handler, Tx } from '../../handler.ts';
import { readPayout } from './payout.ts';

const columns = PayoutItem.pick({ status: true });

export const listPayoutItems: Handler<typeof payouts.listPayoutItems> = async ({ params, query, tx, list }) => {
  const { status, partnerId } = query;
  const { id: payoutId, currency } = await readPayout(tx, params.id);
  const page = await list({
    model: tx.payoutItem,
    where: { payoutId, ...(status && { status }), ...(partnerId !== undefined && { partnerId }) },
  });
  const maskedOf = await readMasked(
    tx,
    page.items.map(({ accountId }) => accountId),
  );
  const items = page.items.map((row) => ({
    ...row,
    ...columns.parse(row),
    amount: fromMinor(row.amountMinor, currency),
    currency,
    account: row.accountId === null ? null : (maskedOf.get(row.accountId) ?? null),
  }));
  return { ...page, items };
};

async function readMasked(tx: Tx, ids: readonly (number | null)[]): Promise<Map<number, string>> {
  const known = ids.flatMap((id) => id ?? []);
  if (!known.length) return new Map();
  const rows = await tx.payoutAccount.findMany({ where: { id: { in: known } }, select: { id: true, masked: true } });
  return new Map(rows.map(({ id, masked }) => [id, masked]));
}
