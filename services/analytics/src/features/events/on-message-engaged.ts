import { engagementRecorded } from '@tandem/analytics-contract';
import { messageEngaged } from '@tandem/campaign-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { asEvent } from './event.ts';

/** Records what happened to messages of campaigns. Of a repeated report, the first one counts. */
export const recordMessages = consumer({
  name: 'record-messages',
  on: [messageEngaged],
  async handle(events: Received<typeof messageEngaged>[], { tx, emit }: ConsumerContext<Tx>) {
    const rows = await tx.engagementEvent.createManyAndReturn({
      data: events.map(({ data: { type, leadId, message, execution, insertId, at, automated, url } }) => ({
        type,
        leadId,
        messageId: message,
        workflowExecutionId: execution,
        insertId,
        timestamp: at,
        automated,
        properties: url === null ? {} : { url },
      })),
      skipDuplicates: true,
    });
    for (const row of rows) {
      const record = asEvent(row);
      emit(engagementRecorded, { data: { eventId: record.id, type: record.type, leadId: record.leadId }, record });
    }
  },
});
