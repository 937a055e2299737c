import type { FieldError } from '@tandem/contract';
import type { Tools, Tx } from '../../handler.ts';
import { createGraph } from '../engine/graph.ts';
import { segmentsAskedBy } from '../engine/segment-facts.ts';
import { enrollErrors } from './enroll-errors.ts';
import { formErrors } from './form-errors.ts';
import { publishErrors } from './publish-errors.ts';
import { readTemplateVersions } from './template-versions.ts';
import type { WorkflowRecord } from './workflow.ts';

/** The errors that prevent the publication of a draft and that the service's own database shows. */
export async function draftErrors(
  tools: Pick<Tools, 'ids'>,
  tx: Tx,
  draft: Pick<WorkflowRecord, 'tenantId' | 'nodes' | 'edges'>,
): Promise<FieldError[]> {
  return [
    ...publishErrors(draft),
    ...(await readTemplateVersions(tools, tx, draft.tenantId, draft)).errors,
    ...(await formErrors(tools, tx, draft.tenantId, draft)),
    ...(await segmentErrors(tools, tx, draft)),
    ...(await enrollErrors(tools, tx, draft.tenantId, draft)),
  ];
}

/** Conditions and triggers that ask for a segment that does not exist. */
async function segmentErrors(
  { ids }: Pick<Tools, 'ids'>,
  tx: Tx,
  { tenantId, nodes, edges }: Pick<WorkflowRecord, 'tenantId' | 'nodes' | 'edges'>,
): Promise<FieldError[]> {
  const graph = createGraph({ nodes, edges });
  const { triggerType, segmentId: entered } = graph.trigger?.data ?? {};
  const ofTrigger = triggerType === 'segment' && typeof entered === 'string' ? [entered] : [];
  const codes = [...segmentsAskedBy(graph), ...ofTrigger];
  const idOf = new Map(codes.map((code) => [code, ids.decode('segment', tenantId, code)]));
  if (!idOf.size) return [];
  const rows = await tx.segment.findMany({
    where: { id: { in: [...idOf.values()].filter((id) => id !== undefined) } },
    select: { id: true },
  });
  const known = new Set(rows.map(({ id }) => id));
  return graph.nodes.flatMap(({ nodeId, type, data }) => {
    const field = type === 'trigger' ? 'segmentId' : 'conditionValue';
    const code = data[field];
    if (typeof code !== 'string' || !idOf.has(code)) return [];
    const id = idOf.get(code);
    if (id !== undefined && known.has(id)) return [];
    return [{ field: `nodes.${nodeId}.${field}`, message: 'Must be the id of a segment' }];
  });
}
