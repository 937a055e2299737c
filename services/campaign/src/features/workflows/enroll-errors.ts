import { nodeData } from '@tandem/campaign-contract';
import { type FieldError, unknownId } from '@tandem/contract';
import type { Tools, Tx } from '../../handler.ts';
import type { StoredGraph } from '../engine/graph.ts';

/** Nodes that enroll in a workflow that does not exist, or that takes no leads any more. */
export async function enrollErrors(
  { ids }: Pick<Tools, 'ids'>,
  tx: Tx,
  tenantId: number,
  { nodes }: StoredGraph,
): Promise<FieldError[]> {
  const named = nodes.flatMap(({ nodeId, type, data }) => {
    const code = type === 'enroll' ? nodeData.enroll.safeParse(data ?? {}).data?.workflowId : undefined;
    return code === undefined
      ? []
      : [{ field: `nodes.${nodeId}.workflowId`, id: ids.decode('workflow', tenantId, code) }];
  });
  if (!named.length) return [];
  const rows = await tx.workflow.findMany({
    where: { id: { in: named.flatMap(({ id }) => id ?? []) }, deletedAt: null },
    select: { id: true, status: true },
  });
  const statusOf = new Map(rows.map(({ id, status }) => [id, status]));
  return named.flatMap(({ field, id }) => {
    const status = id === undefined ? undefined : statusOf.get(id);
    if (status === undefined) return [{ field, message: unknownId('workflow') }];
    return status === 'archived' ? [{ field, message: 'Must be the id of a workflow that is not archived' }] : [];
  });
}
