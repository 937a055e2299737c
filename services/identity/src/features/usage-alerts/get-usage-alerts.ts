import type { usageAlerts } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { readSubscription } from '../subscriptions/subscription.ts';
import { readUsageAlerts } from './usage-alerts.ts';

export const getUsageAlerts: Handler<typeof usageAlerts.getUsageAlerts> = async ({ params, tx }) => {
  await readSubscription(tx, params.id);
  return readUsageAlerts(tx);
};
