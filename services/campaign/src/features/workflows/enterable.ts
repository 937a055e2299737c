import { WorkflowEdge, WorkflowNode, WorkflowSettings } from '@tandem/campaign-contract';
import { storedObject } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { Enterable } from '../engine/enroll.ts';
import type { GraphNode } from '../engine/graph.ts';
import { readVersions } from '../engine/versions.ts';

/** The columns of a draft or version with its graph. */
export const graphColumns = z.object({
  nodes: z.array(WorkflowNode.extend({ data: storedObject.optional() })),
  edges: z.array(WorkflowEdge),
  settings: WorkflowSettings,
});

/** A published workflow with its trigger. */
export type Entrance = Enterable & { trigger: GraphNode };

/** Reads a workflow that leads can enter; undefined if it is not published or its campaign has ended. */
export async function readEnterable(tx: Tx, workflowId: number): Promise<Entrance | undefined> {
  const [found] = await readEntrances(tx, { id: workflowId });
  return found;
}

/** Reads the published workflows that a trigger starts, or one workflow. Those of completed campaigns are left out. */
export async function readEntrances(
  tx: Tx,
  where: { id: number } | { publishedTrigger: { in: string[] } },
): Promise<Entrance[]> {
  const rows = await tx.workflow.findMany({
    where: {
      ...where,
      status: 'published',
      OR: [{ campaignId: null }, { campaign: { status: { not: 'completed' } } }],
    },
    select: { id: true, tenantId: true, environment: true, campaignId: true, publishedVersion: true },
    orderBy: { id: 'asc' },
    take: entrancesMax,
  });
  const published = rows.flatMap(({ publishedVersion, ...row }) =>
    publishedVersion === null ? [] : [{ ...row, number: publishedVersion }],
  );
  const versions = await readVersions(
    tx,
    published.map(({ id, ...row }) => ({ workflowId: id, ...row })),
  );
  return published.flatMap(({ id, campaignId, number }) => {
    const version = versions.get(`${id}/${number}`);
    const trigger = version?.graph.trigger;
    if (!version || !trigger) return [];
    const { settings } = version;
    return [{ id, campaignId, publishedVersion: number, settings, triggerNodeId: trigger.nodeId, trigger }];
  });
}

// A tenant with more workflows for one trigger has most of them by mistake.
const entrancesMax = 200;
