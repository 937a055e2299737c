import { webhookUpdated } from '@tandem/integrations-contract';
import { addressPattern, type Erasing, mentionTest } from '@tandem/service';
import { Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { endPendingDeliveries } from '../deliveries/delivery.ts';
import { asWebhook, writeWebhook } from '../webhooks/webhook.ts';

/**
 * Removes filters of webhooks that mention the person. The webhooks are deactivated, because without the filter they would
 * send events that nobody asked for.
 */
export async function eraseFilters({ tx, emit, person }: Erasing<Tx>): Promise<Record<string, number>> {
  const isMentioned = mentionTest(addressPattern(person, [...person.leadCodes, ...person.recordCodes]));
  const filtered = await tx.webhook.findMany({ where: { filter: { not: Prisma.DbNull } } });
  const found = filtered.filter(({ filter }) => isMentioned(JSON.stringify(filter)));
  for (const { id } of found) {
    const row = await writeWebhook(tx, id, { filter: Prisma.DbNull, active: false });
    await endPendingDeliveries(tx, id, 'skipped');
    emit(webhookUpdated, { data: { webhookId: id, fields: ['filter', 'active'] }, record: asWebhook(row) });
  }
  return { webhookFilters: found.length };
}
