import { event, flag, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** Maximum number of topics; the page of preferences shows all public ones. */
export const topicsMax = 100;

/** A subject of messages that people can unsubscribe from on its own. */
export const Topic = z.object({
  id: id('topic'),
  name: name(100).meta({ examples: ['Product news'] }),
  description: text(500)
    .nullable()
    .meta({ description: 'What the messages are about, as people read it', examples: ['What is new, once a month'] }),
  public: z.boolean().meta({ description: 'Whether people see it on the page of their preferences', examples: [true] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const aboutTopic = {
  target: 'topic',
  data: Topic.pick({ name: true }).extend({ topicId: id('topic') }),
  record: Topic,
} as const;

export const topicCreated = event('topic.created', {
  ...aboutTopic,
  description: 'A topic is created',
  action: 'topic.create',
});
export const topicUpdated = event('topic.updated', {
  ...aboutTopic,
  description: 'A topic is updated',
  action: 'topic.update',
});
export const topicDeleted = event('topic.deleted', {
  ...aboutTopic,
  description: 'A topic is deleted',
  action: 'topic.delete',
});

const withId = z.object({ id: id('topic') });
const nameTaken = [409, 'Another topic has this name; use a different one'] as const;

export const topics = operations({
  createTopic: {
    method: 'POST',
    path: '/v1/campaigns/topics',
    permission: 'campaigns:write',
    summary: 'Create a topic',
    description: 'People can unsubscribe from the messages of one topic and still get those of others.',
    body: z.object({
      name: Topic.shape.name,
      description: text(500).nullish(),
      public: Topic.shape.public.default(true),
    }),
    reply: Topic,
    status: 201,
    message: 'Topic created',
    emits: [topicCreated],
    errors: { name_taken: nameTaken, too_many_topics: [409, `A tenant has at most ${topicsMax} topics; delete one`] },
  },
  listTopics: {
    method: 'GET',
    path: '/v1/campaigns/topics',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'List topics',
    query: listQuery(['createdAt', 'name']).extend({ public: flag().optional() }),
    reply: page(Topic),
    message: 'Topics retrieved',
  },
  getTopic: {
    method: 'GET',
    path: '/v1/campaigns/topics/:id',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'Retrieve a topic',
    params: withId,
    reply: Topic,
    message: 'Topic retrieved',
  },
  updateTopic: {
    method: 'PATCH',
    path: '/v1/campaigns/topics/:id',
    permission: 'campaigns:write',
    summary: 'Update a topic',
    params: withId,
    body: z.object({
      name: Topic.shape.name.optional(),
      description: text(500).nullish(),
      public: Topic.shape.public.optional(),
    }),
    reply: Topic,
    message: 'Topic updated',
    emits: [topicUpdated],
    errors: { name_taken: nameTaken },
  },
  deleteTopic: {
    method: 'DELETE',
    path: '/v1/campaigns/topics/:id',
    permission: 'campaigns:delete',
    summary: 'Delete a topic',
    description: 'A topic of a campaign, and one that somebody has unsubscribed from, cannot be deleted.',
    params: withId,
    reply: z.object({ id: id('topic'), deleted: z.literal(true).describe('Always true') }),
    message: 'Topic deleted',
    emits: [topicDeleted],
    errors: { topic_in_use: [409, 'The topic is in use; set public to false instead to hide it'] },
  },
});
