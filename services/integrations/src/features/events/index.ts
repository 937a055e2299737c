import type { storedEvents } from '@tandem/integrations-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getEvent } from './get-event.ts';
import { listEvents } from './list-events.ts';

export const eventHandlers = { listEvents, getEvent } satisfies Handlers<typeof storedEvents, Tx>;
