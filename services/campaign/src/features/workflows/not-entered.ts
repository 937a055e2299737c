import { fail } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { type Reader, usersOf } from '../work/users-of.ts';

/**
 * Fails with 409 while another workflow that runs, or that can be resumed, enrolls leads in one of these, which are about to
 * be deleted: it would skip the step. The nodes have public ids.
 */
export async function checkNotEntered(
  { tx, ...reader }: Reader & { tx: Tx },
  { ids }: Pick<Tools, 'ids'>,
  workflowIds: readonly number[],
): Promise<void> {
  const tenantId = reader.caller.tenantId as number;
  const nodes = workflowIds.map((id) =>
    JSON.stringify([{ type: 'enroll', data: { workflowId: ids.encode('workflow', tenantId, id) } }]),
  );
  const sources = await tx.sql<{ id: number }>`SELECT workflow.id FROM workflow
    JOIN workflow_version AS version
      ON version.workflow_id = workflow.id AND version.number = workflow.published_version
    WHERE workflow.tenant_id = platform.tenant_id() AND workflow.environment = platform.environment()
      AND workflow.status IN ('published', 'paused') AND workflow.id <> ALL(${workflowIds}::bigint[])
      AND version.nodes @> ANY(${nodes}::jsonb[])`;
  if (!sources.length) return;
  const where = { id: { in: sources.map(({ id }) => id) } };
  const named = await usersOf(reader, { type: 'workflow', permission: 'workflows:read' }, (only) =>
    tx.workflow.findMany({ where, ...only }),
  );
  throw fail('workflow_in_use', named);
}
