import { id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { exampleEvent } from './deliveries.ts';

/** The body that webhooks receive. `data` is stored in its public form and never changed. */
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
      'Returns the events of the last 30 days, in the form in which webhooks receive them. Only events about records that you can read without narrowing are returned. To poll without missing events, send `sort=id` with the id of the last event that you have processed as `after`.',
    query: listQuery(['createdAt', 'id'])
      .omit({ search: true })
      .extend({
        type: text(100)
          .meta({ description: 'Return only events with this name', examples: ['lead.created'] })
          .optional(),
        after: id('event').describe('Return only events after this one; requires `sort=id`').optional(),
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
