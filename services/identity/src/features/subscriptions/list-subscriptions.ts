import type { subscriptions } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { readInstalled } from '../addons/installation.ts';
import { asSubscription } from './subscription.ts';

export const listSubscriptions: Handler<typeof subscriptions.listSubscriptions> = async ({ query, tx, list }) => {
  const { status } = query;
  const page = await list({ model: tx.subscription, where: status ? { status } : {} });
  const addons = await readInstalled(tx);
  return { ...page, items: page.items.map((row) => asSubscription(row, addons)) };
};
