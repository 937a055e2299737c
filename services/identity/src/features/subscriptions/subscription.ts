import { type InstalledAddon, Subscription } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Subscription as SubscriptionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

const columns = Subscription.pick({ planCode: true, status: true });

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
    allowedTransitions: row.status === 'canceled' || row.cancelAtPeriodEnd ? [] : ['canceled'],
    currentPeriodStart: start,
    currentPeriodEnd: end,
    addons,
  };
}

/** Loads a subscription; 404 if there is none. */
export async function readSubscription(tx: Tx, id: number): Promise<SubscriptionRow> {
  const row = await tx.subscription.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Like `readSubscription`, with a row lock. */
export async function lockSubscription(tx: Tx, id: number): Promise<SubscriptionRow> {
  await tx.sql`SELECT id FROM subscription WHERE id = ${id} FOR UPDATE`;
  return readSubscription(tx, id);
}

/**
 * Creates the subscription of a tenant on its current plan. Runs once per environment; the tenant has one subscription
 * for both. The lock prevents missing a concurrent plan change.
 */
export async function openSubscription(tx: Tx): Promise<void> {
  await tx.sql`INSERT INTO subscription (plan_code, created_at)
    SELECT plan, created_at FROM tenant FOR SHARE ON CONFLICT DO NOTHING`;
}

/**
 * Moves the tenant's subscription to another plan. Returns undefined if there is none yet (it will start on that plan)
 * or it is canceled (its plan stays unchanged).
 */
export async function changePlan(tx: Tx, planCode: string) {
  const [before] = await tx.sql<{ id: number; planCode: string; status: string }>`
    SELECT id, plan_code AS "planCode", status FROM subscription FOR UPDATE`;
  if (!before || before.status === 'canceled' || before.planCode === planCode) return undefined;
  const [row] = await tx.subscription.updateManyAndReturn({
    where: { id: before.id },
    data: { planCode, version: { increment: 1 } },
  });
  return row && { from: before.planCode, subscription: asSubscription(row, []) };
}
