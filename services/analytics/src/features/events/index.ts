import type { engagement } from '@tandem/analytics-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { listRecordedEvents } from './list-recorded-events.ts';
import { recordEvent } from './record-event.ts';
import { recordEvents } from './record-events.ts';

export const eventHandlers = (peers: Peers) =>
  ({
    recordEvent: recordEvent(peers),
    recordEvents: recordEvents(peers),
    listRecordedEvents: listRecordedEvents(peers),
  }) satisfies Handlers<typeof engagement, Tx>;
