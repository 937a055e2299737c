import type { storedEvents } from '@tandem/integrations-contract';
import { receivable } from '../../catalogue.ts';
import type { Handler } from '../../handler.ts';
import { asStoredEvent } from './stored-event.ts';

export const listEvents: Handler<typeof storedEvents.listEvents> = async ({ query, caller, tx, list }) => {
  const { type, after, from, to } = query;
  const page = await list({
    model: tx.event,
    where: { ...(type && { type }), ...(after !== undefined && { id: { gt: after } }) },
    and: [
      { type: { in: receivable(caller.permissions) } },
      ...(from ? [{ createdAt: { gte: from } }] : []),
      ...(to ? [{ createdAt: { lte: to } }] : []),
    ],
  });
  return { ...page, items: page.items.map(asStoredEvent) };
};
