import { topicDeleted, type topics } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import { isReferenced } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { eventOf, lockTopic } from './topic.ts';

export const deleteTopic: Handler<typeof topics.deleteTopic> = async ({ params, tx, emit, ifMatch }) => {
  const topic = await lockTopic(tx, params.id);
  ifMatch(topic);
  // Foreign keys of campaigns, suppressions and links refuse it.
  await tx.topic.deleteMany({ where: { id: topic.id } }).catch((error: unknown) => {
    throw isReferenced(error) ? fail('topic_in_use') : error;
  });
  emit(topicDeleted, eventOf(topic));
  return { id: topic.id, deleted: true };
};
