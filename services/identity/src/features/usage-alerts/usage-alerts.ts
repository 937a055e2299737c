import { defaultUsageAlerts, UsageAlerts } from '@tandem/identity-contract';
import type { z } from 'zod';
import type { UsageAlert } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

const defaults: z.output<typeof UsageAlerts> = {
  thresholds: [...defaultUsageAlerts.thresholds],
  channels: [...defaultUsageAlerts.channels],
  userIds: null,
  version: 1,
  updatedAt: null,
};

/** The alerts of the tenant; the default ones until somebody changes them. */
export async function readUsageAlerts(tx: Tx): Promise<z.output<typeof UsageAlerts>> {
  const row = await tx.usageAlert.findFirst({});
  return row ? asUsageAlerts(row) : defaults;
}

/** Converts a row to the API resource. */
export function asUsageAlerts(row: UsageAlert): z.output<typeof UsageAlerts> {
  const { thresholds, userIds, version, updatedAt } = row;
  const channels = UsageAlerts.shape.channels.parse(row.channels);
  return { thresholds, channels, userIds: userIds.length ? userIds : null, version, updatedAt };
}
