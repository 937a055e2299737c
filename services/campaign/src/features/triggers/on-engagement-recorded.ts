import { engagementRecorded } from '@tandem/analytics-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tools, Tx } from '../../handler.ts';
import { react } from '../engine/react.ts';
import { ownInsertIds } from '../tracking/engage.ts';
import { startEngaged } from './start-by-engagement.job.ts';

const isOwn = (insertId: string | null) => insertId?.startsWith(ownInsertIds) ?? false;

type Recorded = Received<typeof engagementRecorded>;

/**
 * Lets workflows react to engagement that other systems report to analytics: a manual record, a mail system of the customer.
 * What campaign reported itself has had its effect, except that it starts workflows here.
 */
export const followEngagement = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'follow-engagement',
    on: [engagementRecorded],
    async handle(events: Recorded[], { tx, schedule }: ConsumerContext<Tx>) {
      const foreign = events.filter(({ record }) => !isOwn(record.insertId));
      const rows = foreign.flatMap(({ record, tenantId }) => {
        const { leadId, type, timestamp, messageId, workflowExecutionId, automated, id } = record;
        if (leadId === null) return [];
        const message = messageId === null ? undefined : ids.decode('message', tenantId, messageId);
        const execution =
          workflowExecutionId === null ? undefined : ids.decode('workflow_execution', tenantId, workflowExecutionId);
        return [
          {
            leadId,
            type,
            at: timestamp,
            messageId: message ?? null,
            executionId: execution ?? null,
            automated,
            sourceId: `analytics-${id}`,
          },
        ];
      });
      if (rows.length) await tx.engagement.createMany({ data: rows, skipDuplicates: true });
      await react(
        { tx, schedule },
        rows.filter(({ automated }) => !automated),
      );
      const engaged = events.flatMap(({ id, record: { leadId, type, automated, insertId } }) => {
        const isOwnForm = type === 'form_submission' && isOwn(insertId);
        return leadId === null || automated || isOwnForm ? [] : [{ type, leadId, eventId: id }];
      });
      const [first] = events;
      if (first) await startEngaged({ tx, schedule }, engaged, first);
    },
  });
