import { id } from '@tandem/contract';
import { Delivery } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import { z } from 'zod';
import type { Delivery as DeliveryRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type DeliveryRecord = z.output<typeof Delivery>;

/** Job that makes the attempts of a delivery. */
export const deliverJob = {
  name: 'deliver',
  payload: z.object({
    deliveryId: id('delivery'),
    /** Round of the delivery that this job belongs to; jobs of earlier rounds do nothing. */
    round: z.int(),
    trigger: z.enum(['scheduled', 'manual']),
  }),
};

/** A delivery with the webhook and event data needed for an attempt. */
export interface DueDelivery {
  id: number;
  round: number;
  status: string;
  event: string;
  tenantId: number;
  environment: string;
  webhookId: number;
  eventId: number;
  slotAt: Date | null;
  createdAt: Date;
  /** null after the payload is purged. */
  body: Buffer | null;
  url: string;
  active: boolean;
  deletedAt: Date | null;
  rateLimitPerSecond: number | null;
  pausedUntil: Date | null;
  consecutiveTimeouts: number;
  lastSuccessAt: Date | null;
  failureSince: Date | null;
  warnedAt: Date | null;
  sealRef: string;
  secret: string;
  previousSecret: string | null;
  previousSecretExpiresAt: Date | null;
  customHeaders: string | null;
  authorizedBy: number | null;
  /** null in webhooks authorized by a release that did not store the credential's permissions. */
  authorizedPermissions: string[] | null;
}

const columns = Delivery.pick({ status: true, lastError: true });

/** Converts a row to the contract's `Delivery`. */
export function asDelivery(row: DeliveryRow): DeliveryRecord {
  return { ...row, ...columns.parse(row) };
}

/** Locks a delivery of a webhook. */
export async function lockDelivery(
  tx: Tx,
  webhookId: number,
  deliveryId: number,
): Promise<DeliveryRecord & { round: number }> {
  const row = await tx.delivery.lockFirst({ where: { id: deliveryId, webhookId } });
  if (!row) throw fail('not_found');
  return { ...asDelivery(row), round: row.round };
}

/** Ends pending deliveries of a webhook: skipped ones can be recovered later, cancelled ones cannot. */
export async function endPendingDeliveries(tx: Tx, webhookId: number, status: 'skipped' | 'cancelled'): Promise<void> {
  await tx.delivery.updateMany({
    where: { webhookId, status: { in: ['pending', 'retrying'] } },
    data: { status, nextAttemptAt: null, completedAt: new Date() },
  });
}
