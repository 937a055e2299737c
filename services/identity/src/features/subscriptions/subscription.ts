import type { InstalledAddon, Subscription } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Subscription as SubscriptionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

/** The calendar month of a moment, in UTC. */
export function periodOf(at: Date): { start: Date; end: Date } {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
}

/** The period that a subscription is in, or of a canceled one was in. */
export function currentPeriod({ canceledAt }: Pick<SubscriptionRow, 'canceledAt'>): { start: Date; end: Date } {
  // It ended with its period or within it; the moment of the end belongs to the period before.
  return periodOf(canceledAt ? new Date(canceledAt.getTime() - 1) : new Date());
}

/** A row as the contract shows it. */
export function asSubscription(
  row: SubscriptionRow,
  addons: z.output<typeof InstalledAddon>[],
): z.output<typeof Subscription> {
  const { start, end } = currentPeriod(row);
  return {
    ...(row as unknown as z.output<typeof Subscription>),
    allowedTransitions: row.status === 'canceled' || row.cancelAtPeriodEnd ? [] : ['canceled'],
    currentPeriodStart: start,
    currentPeriodEnd: end,
    addons,
  };
}

/** The subscription that a path names. */
export async function readSubscription(tx: Tx, id: number): Promise<SubscriptionRow> {
  const row = await tx.subscription.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** The same under lock. */
export async function lockSubscription(tx: Tx, id: number): Promise<SubscriptionRow> {
  await tx.sql`SELECT id FROM subscription WHERE id = ${id} FOR UPDATE`;
  return readSubscription(tx, id);
}

/**
 * Gives a tenant its subscription, on the plan it is on. Runs once in each environment, and a tenant has one for both.
 * The lock keeps a plan that changes meanwhile from being missed.
 */
export async function openSubscription(tx: Tx): Promise<void> {
  await tx.sql`INSERT INTO subscription (plan_code, created_at)
    SELECT plan, created_at FROM tenant FOR SHARE ON CONFLICT DO NOTHING`;
}

/**
 * Puts the tenant's subscription on another plan; undefined before there is one, which then opens on that plan, and for a
 * canceled one, which stays as it ended.
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
