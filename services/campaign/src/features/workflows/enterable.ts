import { WorkflowEdge, WorkflowNode, WorkflowSettings } from '@tandem/campaign-contract';
import { fail, storedObject } from '@tandem/service';
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

/** A published workflow with its nodes. */
export type Entrance = Enterable & { trigger: GraphNode; nodes: readonly GraphNode[] };

/** Reads a workflow that leads can enter; undefined if it is not published, or its campaign does not run. */
export async function readEnterable(tx: Tx, workflowId: number): Promise<Entrance | undefined> {
  const [found] = await withVersions(tx, await findOpen(tx, { id: workflowId }));
  return found;
}

/** Reads the published version of a workflow, whether or not its campaign runs; undefined if it is not published. */
export async function readPublished(tx: Tx, workflowId: number): Promise<Entrance | undefined> {
  const rows = await tx.workflow.findMany({ where: { id: workflowId, status: 'published' }, select: publishedColumns });
  const [found] = await withVersions(tx, rows);
  return found;
}

/**
 * A workflow that leads can enter. Holds it, so that its deletion finds the executions that begin, or comes first.
 * @throws ApiError 404 when it does not exist, 409 when it is not published or its campaign does not run
 */
export async function requireEnterable(tx: Tx, id: number): Promise<Entrance> {
  await tx.sql`SELECT FROM workflow WHERE id = ${id} FOR SHARE`;
  const row = await tx.workflow.findFirst({ where: { id, deletedAt: null }, select: { status: true } });
  if (!row) throw fail('not_found');
  const workflow = await readEnterable(tx, id);
  if (!workflow) throw fail(row.status === 'published' ? 'campaign_not_running' : 'not_published');
  return workflow;
}

/** The published workflows that triggers of these types start, page by page. Those of campaigns that do not run are left out. */
export function entrancesOf(tx: Tx, triggerTypes: string[]): AsyncGenerator<Entrance> {
  return eachEntrance(tx, (after) => findOpen(tx, { publishedTrigger: { in: triggerTypes }, id: { gt: after } }));
}

/** Reads the published sequences of a campaign, also those that the caller cannot read: a campaign runs as a whole. */
export function readSequences(tx: Tx, campaignId: number): Promise<Entrance[]> {
  const sequences = eachEntrance(
    tx,
    (after) => tx.sql<PublishedRow>`SELECT id, tenant_id AS "tenantId", environment,
        campaign_id AS "campaignId", published_version AS "publishedVersion"
      FROM workflow WHERE campaign_id = ${campaignId} AND status = 'published' AND id > ${after}
      ORDER BY id LIMIT ${pageMax}`,
  );
  return Array.fromAsync(sequences);
}

const pageMax = 200;

async function* eachEntrance(tx: Tx, findPage: (after: number) => Promise<PublishedRow[]>): AsyncGenerator<Entrance> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: PublishedRow[] = await findPage(after);
    yield* await withVersions(tx, rows);
    after = rows.length === pageMax ? rows.at(-1)?.id : undefined;
  }
}

type Where = NonNullable<NonNullable<Parameters<Tx['workflow']['findMany']>[0]>['where']>;

/** A campaign takes leads from its start to its end. While it is paused, they wait for it to be resumed. */
function findOpen(tx: Tx, where: Where): Promise<PublishedRow[]> {
  const isRunning = {
    status: { in: ['active', 'paused'] },
    OR: [{ startAt: null }, { startAt: { lte: new Date() } }],
  };
  return tx.workflow.findMany({
    where: { ...where, status: 'published', OR: [{ campaignId: null }, { campaign: isRunning }] },
    select: publishedColumns,
    orderBy: { id: 'asc' },
    take: pageMax,
  });
}

const publishedColumns = {
  id: true,
  tenantId: true,
  environment: true,
  campaignId: true,
  publishedVersion: true,
} as const;

interface PublishedRow {
  id: number;
  tenantId: number;
  environment: string;
  campaignId: number | null;
  publishedVersion: number | null;
}

async function withVersions(tx: Tx, rows: readonly PublishedRow[]): Promise<Entrance[]> {
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
    const { settings, graph } = version;
    const { nodes } = graph;
    return [{ id, campaignId, publishedVersion: number, settings, triggerNodeId: trigger.nodeId, trigger, nodes }];
  });
}
