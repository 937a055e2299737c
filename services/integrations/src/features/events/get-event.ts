import type { storedEvents } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import { mayReceive } from '../../catalogue.ts';
import type { Handler } from '../../handler.ts';
import { asStoredEvent } from './stored-event.ts';

export const getEvent: Handler<typeof storedEvents.getEvent> = async ({ params, caller, tx }) => {
  const row = await tx.event.findFirst({ where: { id: params.eventId } });
  if (!row || !mayReceive(caller.permissions, row.type)) throw fail('not_found');
  return asStoredEvent(row);
};
