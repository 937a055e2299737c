import type { engagement, SentEvent } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import type { JobScope } from '@tandem/jobs';
import { fail, toJsonColumn } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Peers } from '../../handler.ts';
import { checkEvents } from './check-events.ts';
import { findByInsertId, type NewEvent, storeEvents } from './store-events.ts';

export const recordEvent = (peers: Peers): Handler<typeof engagement.recordEvent> => ({
  async check({ body, caller, tx }) {
    const [refused] = await checkEvents(peers, [body], { caller, tx });
    if (refused) throw fail('validation_failed', refused.errors);
  },
  async run({ body, caller, tx, emit, schedule, wasThere }) {
    const [stored] = await storeEvents({ tx, emit, schedule }, [asNewEvent(body)], {
      scope: scopeOf(caller),
      isShared: true,
    });
    if (stored) return stored;
    const first = await findByInsertId(tx, body.insertId as string);
    // The retention removed it a moment ago.
    if (!first) throw fail('unavailable');
    wasThere();
    return first;
  },
});

/** The tenant and environment of a caller with a permission, who always has a tenant. */
export function scopeOf({ tenantId, environment }: Caller): JobScope {
  return { tenantId: tenantId as number, environment };
}

/** An event that a client sent, as it is stored. */
export function asNewEvent(sent: z.output<typeof SentEvent>): NewEvent {
  const {
    eventType: type,
    timestamp,
    insertId,
    properties = {},
    leadId,
    messageId,
    workflowExecutionId,
    automated,
  } = sent;
  return {
    type,
    timestamp: timestamp ?? new Date(),
    insertId: insertId ?? null,
    leadId: leadId ?? null,
    messageId: messageId ?? null,
    workflowExecutionId: workflowExecutionId ?? null,
    automated: automated ?? false,
    properties: toJsonColumn(properties),
  };
}
