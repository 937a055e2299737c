import { type topics, topicUpdated } from '@tandem/campaign-contract';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { eventOf, lockTopic, nameError } from './topic.ts';

export const updateTopic: Handler<typeof topics.updateTopic> = async ({ params, body, tx, emit, ifMatch }) => {
  const topic = await lockTopic(tx, params.id);
  ifMatch(topic);
  const { isEmpty, values, audit } = diff(topic, body);
  if (isEmpty) return topic;
  const [updated] = await tx.topic
    .updateManyAndReturn({ where: { id: topic.id }, data: { ...values, version: { increment: 1 } } })
    .catch((error: unknown) => {
      throw nameError(error);
    });
  if (!updated) throw fail('not_found');
  emit(topicUpdated, { ...eventOf(updated), changes: audit });
  return updated;
};
