import type { Plan } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import {
  type InstalledAddon,
  Subscription,
  type SubscriptionStatus,
  subscriptionCanceled,
  subscriptionStates,
  subscriptionUpdated,
  type tenantPlanChanged,
} from '@tandem/identity-contract';
import { diff, fail } from '@tandem/service';
import type { z } from 'zod';
import type { Subscription as SubscriptionRow, Tenant as TenantRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readInstalled } from '../addons/installation.ts';
import { readTenant } from '../tenants/tenant.ts';

/** The transaction of a change of a subscription, and of the plan of its tenant. */
export interface Inside {
  tx: Tx;
  emit: Emit<typeof subscriptionUpdated | typeof subscriptionCanceled | typeof tenantPlanChanged>;
}

/** The columns that a change of a subscription can set. */
export type SubscriptionChange = Partial<
  Pick<
    SubscriptionRow,
    | 'planCode'
    | 'status'
    | 'cancelAtPeriodEnd'
    | 'canceledAt'
    | 'cancelReason'
    | 'pendingPlanCode'
    | 'pendingChangeAt'
    | 'endsAt'
    | 'paymentDue'
  >
>;

const columns = Subscription.pick({ planCode: true, status: true }).extend({
  pendingPlanCode: Subscription.shape.pendingPlanCode,
});

/** Values of a subscription that continues: nothing is scheduled. */
export const nothingScheduled = {
  cancelAtPeriodEnd: false,
  cancelReason: null,
  pendingPlanCode: null,
  pendingChangeAt: null,
  endsAt: null,
} as const satisfies SubscriptionChange;

/** Calendar month that contains a time, in UTC. */
export function periodOf(at: Date): { start: Date; end: Date } {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
}

/** Current period of a subscription; the last period of a canceled one. */
export function currentPeriod({ canceledAt }: Pick<SubscriptionRow, 'canceledAt'>): { start: Date; end: Date } {
  // The end of a period is exclusive: a cancellation at that instant belongs to the period before it.
  return periodOf(canceledAt ? new Date(canceledAt.getTime() - 1) : new Date());
}

/** Converts a row to the API resource. */
export function asSubscription(
  row: SubscriptionRow,
  addons: z.output<typeof InstalledAddon>[],
): z.output<typeof Subscription> {
  const { start, end } = currentPeriod(row);
  return {
    ...row,
    ...columns.parse(row),
    allowedTransitions: allowedTransitions(row),
    currentPeriodStart: start,
    currentPeriodEnd: end,
    addons,
  };
}

/** The statuses that a customer can change to, with cancel, resume and change. */
function allowedTransitions(row: SubscriptionRow): z.output<typeof SubscriptionStatus>[] {
  const next = subscriptionStates.next(columns.parse(row).status);
  // An unpaid subscription is resumed by its payment, and one that ends already cannot be cancelled again.
  return next.filter((to) => (to === 'active' ? !row.paymentDue : !row.cancelAtPeriodEnd));
}

/** Loads a subscription; 404 if there is none. */
export async function readSubscription(tx: Tx, id: number): Promise<SubscriptionRow> {
  const row = await tx.subscription.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/**
 * Locks the tenant and then its subscription. Everything that changes the plan locks in this order, so that two changes
 * cannot deadlock.
 * @param id undefined for the only subscription of the tenant, which is created if the tenant is older
 */
export async function lockSubscription(tx: Tx, id?: number): Promise<{ tenant: TenantRow; before: SubscriptionRow }> {
  await tx.sql`SELECT tenant_id FROM tenant FOR UPDATE`;
  if (id === undefined) await openSubscription(tx);
  await tx.sql`SELECT id FROM subscription FOR UPDATE`;
  const tenant = await readTenant(tx);
  const row = await tx.subscription.findFirst({ where: id === undefined ? {} : { id } });
  if (!row) throw fail('not_found');
  return { tenant, before: row };
}

/** Changes a locked subscription and emits its event. */
export async function writeSubscription(
  { tx, emit }: Inside,
  before: SubscriptionRow,
  change: SubscriptionChange,
): Promise<z.output<typeof Subscription>> {
  const [row] = await tx.subscription.updateManyAndReturn({
    where: { id: before.id },
    data: { ...change, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  const subscription = asSubscription(row, await readInstalled(tx));
  const { id: subscriptionId, planCode, status, cancelAtPeriodEnd, pendingPlanCode } = subscription;
  const changes = diff(before, { planCode, status, cancelAtPeriodEnd, pendingPlanCode }).audit;
  const isEnd = status === 'canceled' && before.status !== 'canceled';
  const data = { subscriptionId, planCode, status };
  emit(isEnd ? subscriptionCanceled : subscriptionUpdated, { data, record: subscription, changes });
  return subscription;
}

/**
 * Creates the subscription of a tenant on its current plan: at sign-up, and at the first use of tenants that are older.
 * The tenant has one subscription for both environments. The lock prevents missing a concurrent plan change.
 */
export async function openSubscription(tx: Tx): Promise<void> {
  await tx.sql`INSERT INTO subscription (plan_code, created_at)
    SELECT plan, created_at FROM tenant FOR SHARE ON CONFLICT DO NOTHING`;
}

/** The plan that a subscription gives its tenant: Free when it is canceled. */
export function planOf({ status, planCode }: Pick<SubscriptionRow, 'status' | 'planCode'>): Plan {
  return status === 'canceled' ? 'free' : columns.shape.planCode.parse(planCode);
}
