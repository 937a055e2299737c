import { id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { exampleEvent } from './deliveries.ts';

/** What a webhook receives, field for field. `data` is stored in its public form and never touched again. */
export const StoredEvent = z.object({
  id: id('event'),
  type: z.string().meta({ description: 'The name of the event', examples: ['lead.created'] }),
  createdAt: timestamp(),
  data: z
    .record(z.string(), z.unknown())
    .meta({ description: 'The data of the event, as webhooks receive it', examples: [exampleEvent.data] }),
});

export const storedEvents = operations({
  listEvents: {
    method: 'GET',
    path: '/v1/integrations/events',
    permission: 'webhooks:read',
    summary: 'List events',
    description:
      'Returns the same bodies that webhooks receive, for 30 days, about records that you may read without narrowing. To poll, send `sort=id` and, as `after`, the id of the last event you have seen: no event is missed.',
    query: listQuery(['createdAt', 'id'])
      .omit({ search: true })
      .extend({
        type: text(100)
          .meta({ description: 'Return only events with this name', examples: ['lead.created'] })
          .optional(),
        after: id('event').describe('Return only events after this one; needs `sort=id`').optional(),
        from: timestamp().describe('Return only events that happened at this time or later').optional(),
        to: timestamp().describe('Return only events that happened at this time or earlier').optional(),
      }),
    reply: page(StoredEvent),
    message: 'Events retrieved',
  },
  getEvent: {
    method: 'GET',
    path: '/v1/integrations/events/:eventId',
    permission: 'webhooks:read',
    summary: 'Retrieve an event',
    params: z.object({ eventId: id('event') }),
    reply: StoredEvent,
    message: 'Event retrieved',
  },
});
