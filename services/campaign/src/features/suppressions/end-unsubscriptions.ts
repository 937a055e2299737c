import { suppressionRemoved } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import type { Tools, Tx } from '../../handler.ts';
import { type Channel, digestsOf } from './address.ts';
import { asSuppression, eventOf } from './suppression.ts';

/**
 * Removes the suppressions of an address with the reason `unsubscribe`, for all topics, because its owner wants messages
 * again. Complaints, bounces and what the team suppressed stay.
 * @param of.value the normalized address
 * @param of.until an unsubscription after this time is a later decision, and stays
 * @returns whether one from all messages was removed
 */
export async function endUnsubscriptions(
  tools: Pick<Tools, 'seal'>,
  { tx, emit }: { tx: Tx; emit: Emit<typeof suppressionRemoved> },
  { channel, value, note, until }: { channel: Channel; value: string; note: string; until?: Date },
): Promise<boolean> {
  const digest = { in: [...digestsOf(tools, channel, value)] };
  const rows = await tx.suppression.findMany({
    where: { channel, digest, reason: 'unsubscribe', ...(until && { createdAt: { lte: until } }) },
  });
  for (const row of rows) {
    const { count } = await tx.suppression.deleteMany({ where: { id: row.id } });
    if (!count) continue;
    const { data, record } = eventOf(asSuppression(row));
    emit(suppressionRemoved, { data: { ...data, note }, record });
  }
  return rows.some(({ topicId }) => topicId === null);
}
