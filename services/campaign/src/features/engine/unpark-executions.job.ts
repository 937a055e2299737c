import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { advanceExecutionsJob } from './enroll.ts';

/**
 * The job that continues executions which fell due while their workflow, or the campaign of it, was paused. Those that wait
 * before a message, for example for a send window, are checked again, because the rules may have changed.
 */
export const unparkExecutionsJob = {
  name: 'unpark-executions',
  payload: z.object({ workflowId: z.int(), afterId: z.int().optional() }),
};

type Payload = z.output<typeof unparkExecutionsJob.payload>;

const portion = 1_000;

export const unparkExecutions = job({
  ...unparkExecutionsJob,
  async run({ payload: { workflowId, afterId }, finish }: JobContext<Payload, Tx>) {
    await finish(async ({ tx, schedule }) => {
      const parked = await unpark(tx, workflowId);
      const held = parked.length < portion ? await wakeHeld(tx, workflowId, afterId ?? 0) : [];
      await schedule(
        advanceExecutionsJob,
        [...parked, ...held].map(({ id, wake }) => ({ executionId: id, wake })),
      );
      if (parked.length === portion) return new Date();
      // One that waits again would be found again, so the next portion begins after this one.
      const last = held.length === portion ? held.at(-1) : undefined;
      if (last) await schedule(unparkExecutionsJob, [{ workflowId, afterId: last.id }]);
      return undefined;
    });
  },
});

interface Woken {
  id: number;
  wake: number;
}

function unpark(tx: Tx, workflowId: number): Promise<Woken[]> {
  return tx.sql<Woken>`
    WITH parked AS (SELECT id FROM execution WHERE workflow_id = ${workflowId} AND parked ORDER BY id LIMIT ${portion}
      FOR NO KEY UPDATE)
    UPDATE execution SET parked = false, wake = wake + 1 FROM parked WHERE execution.id = parked.id
    RETURNING execution.id, wake`;
}

/** Wakes executions that wait before a message which is not being sent. */
async function wakeHeld(tx: Tx, workflowId: number, afterId: number): Promise<Woken[]> {
  const woken = await tx.sql<Woken>`
    WITH message_node AS MATERIALIZED (
      SELECT version.number, node ->> 'nodeId' AS id
      FROM workflow_version AS version CROSS JOIN jsonb_array_elements(version.nodes) AS node
      WHERE version.workflow_id = ${workflowId} AND node ->> 'type' IN ('email', 'sms')),
    held AS (
      SELECT execution.id FROM execution JOIN message_node AS node
        ON node.number = execution.number AND node.id = execution.node_id
      WHERE execution.workflow_id = ${workflowId} AND execution.id > ${afterId} AND execution.status = 'waiting'
        AND execution.due_at > now() AND NOT parked AND NOT EXISTS (
          SELECT FROM message WHERE message.execution_id = execution.id AND message.status = 'sending')
      ORDER BY execution.id LIMIT ${portion} FOR NO KEY UPDATE OF execution)
    UPDATE execution SET due_at = now(), wake = wake + 1 FROM held WHERE execution.id = held.id
    RETURNING execution.id, wake`;
  return woken.toSorted((one, other) => one.id - other.id);
}
