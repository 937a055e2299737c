import { id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** What a webhook receives, field for field. `data` is stored in its public form and never touched again. */
export const StoredEvent = z.object({
  id: id('event'),
  type: z.string(),
  createdAt: timestamp(),
  data: z.record(z.string(), z.unknown()),
});

export const storedEvents = operations({
  listEvents: {
    method: 'GET',
    path: '/v1/integrations/events',
    permission: 'webhooks:read',
    summary: 'List the events of the catalogue that happened',
    description:
      'The same bodies that webhooks receive, for 30 days: those about records that you may read without narrowing. To poll instead of receiving, send `sort=id` and as `after` the id of the last event you have seen: none is left out.',
    query: listQuery(['createdAt', 'id'])
      .omit({ search: true })
      .extend({
        type: text(100).optional(),
        after: id('event').optional(),
        from: timestamp().optional(),
        to: timestamp().optional(),
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
