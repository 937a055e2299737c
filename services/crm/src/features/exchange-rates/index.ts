import type { exchangeRates } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { getExchangeRates } from './get-exchange-rates.ts';
import { setExchangeRates } from './set-exchange-rates.ts';

export const exchangeRateHandlers = (peers: Peers) =>
  ({
    getExchangeRates: getExchangeRates(peers),
    setExchangeRates: setExchangeRates(peers),
  }) satisfies Handlers<typeof exchangeRates, Tx>;
