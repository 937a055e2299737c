import type { topics } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createTopic } from './create-topic.ts';
import { deleteTopic } from './delete-topic.ts';
import { getTopic } from './get-topic.ts';
import { listTopics } from './list-topics.ts';
import { updateTopic } from './update-topic.ts';

export const topicHandlers = { createTopic, listTopics, getTopic, updateTopic, deleteTopic } satisfies Handlers<
  typeof topics,
  Tx
>;
