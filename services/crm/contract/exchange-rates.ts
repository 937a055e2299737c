import { currency, event, id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';

const Rate = z
  .number({ error: 'Must be a number' })
  .positive('Must be greater than 0')
  .max(1_000_000_000, 'Must be at most 1000000000')
  .meta({ description: 'What one unit of the currency is worth in the base currency', examples: [0.92] });

/** The exchange rates of a tenant, with which sums over several currencies are calculated. */
export const ExchangeRates = z.object({
  base: currency().describe('The currency of the tenant, to which the rates refer'),
  rates: z
    .array(z.object({ currency: currency(), rate: Rate }))
    .max(200, 'Must contain at most 200 rates')
    .describe('One rate for each currency'),
  updatedAt: timestamp()
    .nullable()
    .meta({ description: 'When the rates were last set; null if never', examples: ['2026-03-01T08:00:00.000Z'] }),
});

export const exchangeRatesUpdated = event('exchange_rates.updated', {
  description: 'The exchange rates of the tenant are set',
  action: 'exchange_rates.update',
  target: 'tenant',
  data: ExchangeRates.pick({ base: true, rates: true }),
  record: ExchangeRates.extend({ id: id('tenant') }),
});

export const exchangeRates = operations({
  getExchangeRates: {
    method: 'GET',
    path: '/v1/config/exchange-rates',
    permission: 'config:read',
    summary: 'Retrieve the exchange rates',
    description: 'The rates are used by sums over opportunities of several currencies, which name the rates they used.',
    reply: ExchangeRates,
    message: 'Exchange rates retrieved',
  },
  setExchangeRates: {
    method: 'PUT',
    path: '/v1/config/exchange-rates',
    permission: 'config:write',
    summary: 'Set the exchange rates',
    description: 'Replaces all rates. The base is the currency of the tenant; its own rate is always 1.',
    body: ExchangeRates.pick({ rates: true }).meta({ examples: [{ rates: [{ currency: 'USD', rate: 0.92 }] }] }),
    reply: ExchangeRates,
    message: 'Exchange rates set',
    emits: [exchangeRatesUpdated],
  },
});
