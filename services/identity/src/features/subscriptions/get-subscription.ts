import type { subscriptions } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { readInstalled } from '../addons/installation.ts';
import { asSubscription, readSubscription } from './subscription.ts';

export const getSubscription: Handler<typeof subscriptions.getSubscription> = async ({ params, tx }) => {
  const row = await readSubscription(tx, params.id);
  return asSubscription(row, await readInstalled(tx));
};
