import type { storedEvents } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asStoredEvent } from './stored-event.ts';

export const getEvent: Handler<typeof storedEvents.getEvent> = async ({ params, tx }) => {
  const row = await tx.event.findFirst({ where: { id: params.eventId } });
  if (!row) throw fail('not_found');
  return asStoredEvent(row);
};
