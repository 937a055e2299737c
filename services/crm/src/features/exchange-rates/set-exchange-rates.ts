import { isDeepStrictEqual } from 'node:util';
import { type exchangeRates, exchangeRatesUpdated } from '@tandem/crm-contract';
import { failField } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Handler, Peers } from '../../handler.ts';
import { readRates } from './get-exchange-rates.ts';

export const setExchangeRates = (peers: Peers): Handler<typeof exchangeRates.setExchangeRates, string> => ({
  async check({ body, caller }) {
    const base = await peers.currencyOf(caller);
    const seen = new Set([base]);
    for (const [index, { currency }] of body.rates.entries()) {
      const field = `rates.${index}.currency`;
      if (currency === base) throw failField(field, `Is the currency of the tenant, whose rate is always 1`);
      if (seen.has(currency)) throw failField(field, `${currency} is in the list twice`);
      seen.add(currency);
    }
    return base;
  },
  async run({ body, caller, tx, emit, found: base }) {
    // Two requests at once must not mix their rates.
    await lockNamed(tx, 'exchange_rate');
    const before = await readRates(tx, base);
    await tx.sql`DELETE FROM exchange_rate`;
    await tx.exchangeRate.createMany({ data: body.rates.map((one) => ({ ...one, base, updatedAt: new Date() })) });
    const after = await readRates(tx, base);
    if (isDeepStrictEqual(before.rates, after.rates)) return after;
    emit(exchangeRatesUpdated, {
      data: { base, rates: after.rates },
      record: { id: caller.tenantId as number, ...after },
      changes: { rates: { from: before.rates, to: after.rates } },
    });
    return after;
  },
});
