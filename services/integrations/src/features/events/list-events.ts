import type { storedEvents } from '@tandem/integrations-contract';
import type { Handler } from '../../handler.ts';
import { asStoredEvent } from './stored-event.ts';

export const listEvents: Handler<typeof storedEvents.listEvents> = async ({ query, tx, list }) => {
  const { type, after, from, to } = query;
  const page = await list({
    model: tx.event,
    where: { ...(type && { type }), ...(after !== undefined && { id: { gt: after } }) },
    and: [...(from ? [{ createdAt: { gte: from } }] : []), ...(to ? [{ createdAt: { lte: to } }] : [])],
  });
  return { ...page, items: page.items.map(asStoredEvent) };
};
