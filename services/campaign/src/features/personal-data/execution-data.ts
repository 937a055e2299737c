import { WorkflowExecution } from '@tandem/campaign-contract';
import { exportSection, type PersonalData } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { endQueuedMessages } from '../engine/end-queued.ts';
import { asExecution } from '../executions/execution.ts';

const batchMax = 500;

/**
 * The runs of workflows for a person: live ones end, and what they worked with is removed. Triggers forget that the lead was
 * in their segment.
 */
export const executionData: PersonalData<Tx> = {
  async erase({ tx, person: { leadIds } }) {
    const ended = await tx.sql<{ id: number }>`
      UPDATE execution SET status = 'exited', end_reason = 'lead_deleted', ended_at = now(), due_at = NULL,
        waits_for = NULL, parked = false, wake = wake + 1
      WHERE id IN (SELECT id FROM execution WHERE lead_id = ANY(${leadIds}::bigint[])
        AND status IN ('running', 'waiting') ORDER BY id FOR UPDATE)
      RETURNING id`;
    await endQueuedMessages(
      tx,
      ended.map(({ id }) => id),
    );
    // A step of a run without payload can still contain texts of the lead.
    const rows = await tx.sql<{ id: number }>`
      UPDATE execution SET payload = '{}', error = NULL, event_id = NULL
      WHERE id IN (SELECT id FROM execution WHERE lead_id = ANY(${leadIds}::bigint[])
        AND (payload <> '{}' OR error IS NOT NULL OR event_id IS NOT NULL OR EXISTS (
          SELECT FROM execution_step AS step WHERE step.execution_id = execution.id
            AND (step.input <> '{}' OR step.result <> '{}')))
        ORDER BY id LIMIT ${batchMax}::int FOR UPDATE)
      RETURNING id`;
    await tx.sql`UPDATE execution_step SET input = '{}', result = '{}'
      WHERE execution_id = ANY(${rows.map(({ id }) => id)}::bigint[])`;
    // Only workflows with a scheduled trigger have members, and the key begins with the workflow.
    const members = await tx.sql`
      DELETE FROM trigger_member WHERE (workflow_id, lead_id) IN (
        SELECT member.workflow_id, member.lead_id FROM workflow_trigger
        JOIN trigger_member AS member ON member.workflow_id = workflow_trigger.workflow_id
        WHERE member.lead_id = ANY(${leadIds}::bigint[]) LIMIT ${batchMax}::int)
      RETURNING lead_id`;
    return { workflowExecutions: rows.length, triggerMembers: members.length };
  },
  async read({ tx, person: { leadIds } }) {
    const where = { leadId: { in: leadIds } };
    return [
      await exportSection('workflowExecutions', WorkflowExecution, {
        count: () => tx.execution.count({ where }),
        find: async (take) => (await tx.execution.findMany({ where, orderBy: { id: 'desc' }, take })).map(asExecution),
      }),
    ];
  },
};
