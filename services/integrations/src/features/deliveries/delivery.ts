import { id } from '@tandem/contract';
import type { Delivery } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import { z } from 'zod';
import type { Delivery as DeliveryRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type DeliveryRecord = z.output<typeof Delivery>;

/** The job that makes one attempt, and the next ones of the schedule. */
export const deliverJob = {
  name: 'deliver',
  payload: z.object({
    deliveryId: id('delivery'),
    /** The round of the delivery it belongs to; a job of an earlier one does nothing. */
    round: z.int(),
    trigger: z.enum(['scheduled', 'manual']),
  }),
};

/** Everything one attempt needs. */
export interface Due {
  id: number;
  round: number;
  status: string;
  event: string;
  tenantId: number;
  environment: string;
  webhookId: number;
  eventId: number;
  slotAt: Date | null;
  /** null once the payload was removed for its age. */
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
  /** null in webhooks that were authorized before the permissions of their credential were stored. */
  authorizedPermissions: string[] | null;
}

/** A row as the contract shows it. */
export function asDelivery(row: DeliveryRow): DeliveryRecord {
  return row as DeliveryRecord;
}

/** The delivery of a webhook under lock. */
export async function lockDelivery(
  tx: Tx,
  webhookId: number,
  deliveryId: number,
): Promise<DeliveryRecord & { round: number }> {
  const row = await tx.delivery.lockFirst({ where: { id: deliveryId, webhookId } });
  if (!row) throw fail('not_found');
  return row as DeliveryRecord & { round: number };
}

/** Ends whatever waits for a webhook: skipped can be recovered later, cancelled cannot. */
export async function endWaiting(tx: Tx, webhookId: number, status: 'skipped' | 'cancelled'): Promise<void> {
  await tx.delivery.updateMany({
    where: { webhookId, status: { in: ['pending', 'retrying'] } },
    data: { status, nextAttemptAt: null, completedAt: new Date() },
  });
}
