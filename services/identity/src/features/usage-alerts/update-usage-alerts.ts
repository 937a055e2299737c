import { type usageAlerts, usageAlertsUpdated } from '@tandem/identity-contract';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { lockSubscription } from '../subscriptions/subscription.ts';
import { checkKnown } from '../teams/members.ts';
import { asUsageAlerts, readUsageAlerts } from './usage-alerts.ts';

export const updateUsageAlerts: Handler<typeof usageAlerts.updateUsageAlerts> = async ({
  params,
  body,
  tx,
  emit,
  ifMatch,
}) => {
  // One lock for the alerts and for the plan, on which their levels depend.
  const { tenant } = await lockSubscription(tx, params.id);
  const before = await readUsageAlerts(tx);
  ifMatch(before);
  if (body.userIds) {
    const where = { id: { in: body.userIds }, status: 'active' };
    const users = await tx.user.findMany({ where, select: { id: true } });
    checkKnown(new Set(users.map(({ id }) => id)), body.userIds, { field: 'userIds', type: 'user' });
  }
  const data = {
    thresholds: [...body.thresholds].sort((a, b) => a - b),
    channels: body.channels,
    userIds: body.userIds ?? [],
    version: before.version + 1,
  };
  const [row] =
    before.updatedAt === null
      ? [await tx.usageAlert.create({ data })]
      : await tx.usageAlert.updateManyAndReturn({ where: { tenantId: tenant.tenantId }, data });
  if (!row) throw fail('not_found');
  const updated = asUsageAlerts(row);
  await tx.sql`DELETE FROM usage_watch WHERE owner_tenant_id = ${tenant.tenantId}`;
  const { thresholds, channels, userIds } = updated;
  emit(usageAlertsUpdated, {
    data: { subscriptionId: params.id },
    record: { id: params.id, thresholds, channels, userIds },
    changes: diff(before, { thresholds, channels, userIds }).audit,
  });
  return updated;
};
