import type { Tools, Tx } from '../../handler.ts';
import { amongSource, type Reading, sourceOfSegment } from '../audiences/sources.ts';
import { asSegment } from '../segments/segment.ts';
import { subjectOf } from './conditions.ts';
import type { Graph } from './graph.ts';

/** An execution whose conditions may ask for segments. */
interface Asking {
  executionId: number;
  tenantId: number;
  leadId: number;
  graph: Graph;
}

/** The public ids of the segments for which the conditions of a graph ask. */
export function segmentsAskedBy({ nodes }: Graph): string[] {
  const codes = nodes.flatMap(({ type, data }) => {
    const { conditionField, conditionValue } = data;
    const asks = type === 'condition' && typeof conditionField === 'string' && 'segment' in subjectOf(conditionField);
    return asks && typeof conditionValue === 'string' ? [conditionValue] : [];
  });
  return [...new Set(codes)];
}

/** Which segments have the leads, by execution: only of segments for which conditions ask. A call to crm for each of them. */
export async function readSegments(
  { ids, crm }: Pick<Tools, 'ids' | 'crm'>,
  { tx, as }: { tx: Tx; as: Reading['as'] },
  all: readonly Asking[],
): Promise<Map<number, Set<string>>> {
  const found = new Map<number, Set<string>>();
  const asking = Map.groupBy(
    all.flatMap((one) => segmentsAskedBy(one.graph).map((code) => ({ ...one, code }))),
    ({ code }) => code,
  );
  for (const [code, group] of asking) {
    const id = ids.decode('segment', group[0]?.tenantId, code);
    const row = id === undefined ? null : await tx.segment.findFirst({ where: { id } });
    // A segment that was deleted has no leads.
    if (!row) continue;
    const leadIds = [...new Set(group.map(({ leadId }) => leadId))];
    const among = await amongSource({ crm, tx, as }, sourceOfSegment(asSegment(row)), leadIds);
    for (const { executionId, leadId } of group)
      if (among.has(leadId)) found.set(executionId, (found.get(executionId) ?? new Set()).add(code));
  }
  return found;
}
