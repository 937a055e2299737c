import { leadUnsubscribed } from '@tandem/campaign-contract';
import { leadDeleted, leadUpdated } from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { endQueuedMessages } from '../engine/end-queued.ts';
import { lockLiveOf, type PersonDeed, react } from '../engine/react.ts';

type Ended = Received<typeof leadUnsubscribed | typeof leadDeleted | typeof leadUpdated>;

/**
 * Ends executions of leads that unsubscribed from all messages of a channel or from the topic of the campaign, were converted,
 * or are deleted.
 */
export const followLeads = consumer({
  name: 'end-executions',
  on: [leadUnsubscribed, leadDeleted, leadUpdated],
  async handle(events: Ended[], { tx, schedule }: ConsumerContext<Tx>) {
    const deeds = events.flatMap(deedOf);
    const converted = deeds.flatMap(({ type, leadId, eventId }) =>
      type === 'conversion' ? [{ type, leadId, sourceId: `conversion-${eventId}` }] : [],
    );
    // For the results of A/B tests that count conversions.
    if (converted.length) await tx.engagement.createMany({ data: converted, skipDuplicates: true });
    // Messages before executions, and both by id, as for opens and clicks: in another order the two would wait for each other.
    await markUnsubscribed(tx, events);
    // A merged lead is followed by its survivor: see follow-lead-merges.
    const deleted = events.flatMap((event) =>
      event.name === 'lead.deleted' && !event.data.mergedIntoId ? [event.data.leadId] : [],
    );
    // All at once, because a second pass would lock executions out of order.
    await lockLiveOf(tx, [...deeds.map(({ leadId }) => leadId), ...deleted]);
    await react({ tx, schedule }, deeds);
    if (!deleted.length) return;
    const ended = await tx.sql<{ id: number }>`
      UPDATE execution SET status = 'exited', end_reason = 'lead_deleted', ended_at = now(), due_at = NULL,
        waits_for = NULL, parked = false, wake = wake + 1
      WHERE lead_id = ANY(${deleted}::bigint[]) AND status IN ('running', 'waiting')
      RETURNING id`;
    await endQueuedMessages(
      tx,
      ended.map(({ id }) => id),
    );
  },
});

async function markUnsubscribed(tx: Tx, events: readonly Ended[]): Promise<void> {
  const unsubscribed = events.flatMap((event) =>
    event.name === 'lead.unsubscribed' && event.data.messageId !== null
      ? [{ id: event.data.messageId, channel: event.data.channel }]
      : [],
  );
  if (!unsubscribed.length) return;
  await tx.sql`UPDATE message SET unsubscribed_at = coalesce(unsubscribed_at, now()), updated_at = now()
    WHERE id IN (
      SELECT message.id FROM jsonb_to_recordset(${JSON.stringify(unsubscribed)}::jsonb) AS given (id bigint, channel text)
      JOIN message ON message.id = given.id AND message.channel = given.channel
      ORDER BY message.id FOR UPDATE OF message)`;
}

function deedOf(event: Ended): (PersonDeed & { eventId: string })[] {
  const { leadId } = event.data;
  const eventId = event.id;
  if (event.name === 'lead.unsubscribed') {
    const { channel, topicId } = event.data;
    return [{ type: 'unsubscribe', leadId, executionId: null, channel, topicId, eventId }];
  }
  if (event.name === 'lead.updated' && event.data.changes.convertedAt)
    return [{ type: 'conversion', leadId, executionId: null, eventId }];
  return [];
}
