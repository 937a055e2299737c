import { text } from '@tandem/contract';
import { z } from 'zod';
import type { Connector } from './connector.ts';

const Credentials = z.object({
  apiKey: text(255).regex(/^[sr]k_(live|test)_[A-Za-z0-9]+$/, 'Must be a secret or restricted key of Stripe'),
});

export const stripe: Connector = {
  key: 'stripe',
  name: 'Stripe',
  category: 'payments',
  authType: 'api_key',
  provider: null,
  scopes: [],
  settings: null,
  credentials: Credentials,
  headersOf: ({ apiKey }) => ({ authorization: `Bearer ${String(apiKey)}` }),
  async probe(call) {
    // https://docs.stripe.com/api/balance/balance_retrieve
    await call({ url: 'https://api.stripe.com/v1/balance' });
    return null;
  },
};
