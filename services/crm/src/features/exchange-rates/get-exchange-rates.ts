import type { exchangeRates } from '@tandem/crm-contract';
import type { Handler, Peers, Tx } from '../../handler.ts';

export const getExchangeRates = (peers: Peers): Handler<typeof exchangeRates.getExchangeRates, string> => ({
  check: ({ caller }) => peers.currencyOf(caller),
  run: ({ tx, found: base }) => readRates(tx, base),
});

/** The rates of the tenant, in the order of their currencies. */
export async function readRates(tx: Tx, base: string) {
  const rows = await tx.exchangeRate.findMany({ where: { base }, orderBy: { currency: 'asc' } });
  const times = rows.map(({ updatedAt }) => updatedAt.getTime());
  return {
    base,
    rates: rows.map(({ currency, rate }) => ({ currency, rate })),
    updatedAt: times.length ? new Date(Math.max(...times)) : null,
  };
}
