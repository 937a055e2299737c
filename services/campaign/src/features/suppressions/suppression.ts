import { Suppression } from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { failField } from '@tandem/service';
import type { z } from 'zod';
import type { Suppression as SuppressionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type SuppressionRecord = z.output<typeof Suppression>;

const columns = Suppression.pick({ channel: true, reason: true });

/** Converts a row to the contract's `Suppression`. */
export function asSuppression(row: SuppressionRow): SuppressionRecord {
  return { ...row, ...columns.parse(row) };
}

/** The content of the events of a suppression. */
export function eventOf(suppression: SuppressionRecord) {
  const { id: suppressionId, channel, reason, topicId } = suppression;
  return { data: { suppressionId, channel, reason, topicId }, record: suppression };
}

/** Fails with 422 unless the topic exists; it is then locked against deletion until the end of the transaction. */
export async function checkTopic(tx: Tx, topicId: number | null | undefined): Promise<void> {
  if (topicId === null || topicId === undefined) return;
  const [topic] = await tx.sql<{ id: number }>`SELECT id FROM topic
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND id = ${topicId} FOR KEY SHARE`;
  if (!topic) throw failField('topicId', unknownId('topic'));
}
