import type { Topic } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';

export type TopicRecord = z.output<typeof Topic>;

/** The content of the events of a topic. */
export function eventOf(topic: TopicRecord) {
  return { data: { topicId: topic.id, name: topic.name }, record: topic };
}

/** Locks a topic, so that checks on it still hold when it is written. */
export async function lockTopic(tx: Tx, id: number): Promise<TopicRecord> {
  const row = await tx.topic.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Converts a unique violation of the name to a 409. */
export function nameError(error: unknown): unknown {
  if (!isTaken(error)) return error;
  return fail('name_taken', [{ field: 'name', message: 'Must be unique; another topic has this name' }]);
}
