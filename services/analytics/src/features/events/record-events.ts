import type { EngagementEvent, engagement } from '@tandem/analytics-contract';
import type { z } from 'zod';
import type { Handler, Peers } from '../../handler.ts';
import { checkEvents, type RefusedEvent } from './check-events.ts';
import { asNewEvent, scopeOf } from './record-event.ts';
import { idsByInsertId, storeEvents } from './store-events.ts';

/** Stores the events of a request that are valid and can be stored, and reports the others. */
export const recordEvents = (peers: Peers): Handler<typeof engagement.recordEvents, RefusedEvent[]> => ({
  check: ({ body, caller, tx }) => checkEvents(peers, body.events, { caller, tx }),
  async run({ body: { events }, invalidItems, found: refused, caller, tx, emit, schedule }) {
    const errorsAt = new Map(refused.map(({ index, errors }) => [index, errors]));
    const admitted = events.filter((_, index) => !errorsAt.has(index));
    const stored = await storeEvents({ tx, emit, schedule }, admitted.map(asNewEvent), {
      scope: scopeOf(caller),
      isShared: true,
    });
    const repeated = await idsByInsertId(tx, admitted);
    const take = takeStored(stored);
    const valid = events.map(({ insertId }, index) => {
      const errors = errorsAt.get(index);
      if (errors) return { status: 'rejected' as const, id: null, errors };
      const id = take(insertId ?? null);
      if (id !== undefined) return { status: 'recorded' as const, id, errors: [] };
      return { status: 'repeated' as const, id: repeated.get(insertId as string) ?? null, errors: [] };
    });
    const invalid = new Map(invalidItems.map(({ index, errors }) => [index, errors]));
    const next = valid.values();
    const results = Array.from({ length: valid.length + invalid.size }, (_, index) => {
      const errors = invalid.get(index);
      const result = errors ? { status: 'rejected' as const, id: null, errors } : next.next().value;
      return { index, ...(result as (typeof valid)[number]) };
    });
    const rejected = refused.length + invalid.size;
    return { accepted: results.length - rejected, rejected, results };
  },
});

/** Takes the id of the next stored event with this insertId, or of the next one without any; undefined if there is none. */
function takeStored(stored: z.output<typeof EngagementEvent>[]) {
  const byInsertId = Map.groupBy(stored, ({ insertId }) => insertId);
  return (insertId: string | null) => byInsertId.get(insertId)?.shift()?.id;
}
