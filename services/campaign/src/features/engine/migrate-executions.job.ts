import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { readVersions } from './versions.ts';

/** The job that moves executions in earlier versions of a workflow to a version, in the order of their leads. */
export const migrateExecutionsJob = {
  name: 'migrate-executions',
  payload: z.object({ workflowId: z.int(), number: z.int(), afterLeadId: z.int() }),
};

type Payload = z.output<typeof migrateExecutionsJob.payload>;

interface Row {
  id: number;
  tenantId: number;
  environment: string;
  workflowId: number;
  number: number;
  leadId: number;
  nodeId: string;
}

const portion = 1_000;

/**
 * Portion by portion: a workflow can have more executions than one transaction can move in its time. An execution that
 * continues meanwhile is moved when its batch is recorded: see `writeExecutions`.
 */
export const migrateExecutions = job({
  ...migrateExecutionsJob,
  rests: true,
  async run({ payload, finish }: JobContext<Payload, Tx>) {
    await finish(async ({ tx, schedule }) => {
      const rows = await lockPortion(tx, payload);
      if (!rows.length) return;
      await move(tx, rows, payload.number);
      const afterLeadId = Math.max(...rows.map(({ leadId }) => leadId));
      await schedule(migrateExecutionsJob, [{ ...payload, afterLeadId }]);
    });
  },
});

/** Found by the unique index of leads that are in the workflow, and locked in the order of the engine. */
function lockPortion(tx: Tx, { workflowId, number, afterLeadId }: Payload): Promise<Row[]> {
  return tx.sql<Row>`
    SELECT id, tenant_id AS "tenantId", environment, workflow_id AS "workflowId", number, lead_id AS "leadId",
      node_id AS "nodeId"
    FROM execution
    WHERE status IN ('running', 'waiting') AND number < ${number}::int AND id IN (
      SELECT id FROM execution WHERE workflow_id = ${workflowId} AND status IN ('running', 'waiting')
        AND number < ${number}::int AND lead_id > ${afterLeadId} ORDER BY lead_id LIMIT ${portion})
    ORDER BY id FOR UPDATE`;
}

/** A node of another type cannot continue what the one of the earlier version began. */
async function move(tx: Tx, rows: readonly Row[], number: number): Promise<void> {
  const versions = await readVersions(
    tx,
    rows.flatMap((row) => [row, { ...row, number }]),
  );
  const typeOf = ({ workflowId, nodeId }: Row, version: number) =>
    versions.get(`${workflowId}/${version}`)?.graph.node(nodeId)?.type;
  const moving = rows.filter((row) => {
    const type = typeOf(row, number);
    return type !== undefined && type === typeOf(row, row.number);
  });
  const ids = moving.map(({ id }) => id);
  await tx.sql`UPDATE execution SET number = ${number}::int WHERE id = ANY(${ids}::bigint[])`;
}
