import { actingUserId } from '@tandem/caller';
import { topicCreated, type topics, topicsMax } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { eventOf, nameError } from './topic.ts';

export const createTopic: Handler<typeof topics.createTopic> = async ({ body, caller, tx, emit }) => {
  await lockNamed(tx, 'topics');
  if ((await tx.topic.count({ where: {} })) >= topicsMax) throw fail('too_many_topics');
  const data = { ...body, createdBy: actingUserId(caller) ?? null };
  const topic = await tx.topic.create({ data }).catch((error: unknown) => {
    throw nameError(error);
  });
  emit(topicCreated, eventOf(topic));
  return topic;
};
