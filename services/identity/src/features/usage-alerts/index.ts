import type { usageAlerts } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getUsageAlerts } from './get-usage-alerts.ts';
import { updateUsageAlerts } from './update-usage-alerts.ts';

export const usageAlertHandlers = { getUsageAlerts, updateUsageAlerts } satisfies Handlers<typeof usageAlerts, Tx>;
