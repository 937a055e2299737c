import { nodeData } from '@tandem/campaign-contract';
import type { FieldError } from '@tandem/contract';
import type { Tools, Tx } from '../../handler.ts';
import type { StoredGraph } from '../engine/graph.ts';

/** A trigger whose form does not exist would never start the workflow. */
export async function formErrors(
  { ids }: Pick<Tools, 'ids'>,
  tx: Tx,
  tenantId: number,
  { nodes }: StoredGraph,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const { nodeId, type, data } of nodes) {
    const code = type === 'trigger' ? nodeData.trigger.safeParse(data ?? {}).data?.formId : undefined;
    if (!code) continue;
    const id = ids.decode('form', tenantId, code);
    if (id !== undefined && (await tx.form.count({ where: { id } }))) continue;
    errors.push({ field: `nodes.${nodeId}.formId`, message: 'Must be the id of a form; omit it for every form' });
  }
  return errors;
}
