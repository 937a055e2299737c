import { WorkflowEdge, WorkflowNode, WorkflowSettings } from '@tandem/campaign-contract';
import { storedObject } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { createGraph, type Graph } from './graph.ts';

/** A published version. */
export interface Version {
  graph: Graph;
  settings: WorkflowSettings;
  templateVersions: TemplateVersions;
}

/** The versions of the templates that the nodes of a version name, by public id. */
export type TemplateVersions = Readonly<Record<string, number>>;

const columns = z.object({
  nodes: z.array(WorkflowNode.extend({ data: storedObject.optional() })),
  edges: z.array(WorkflowEdge),
  settings: WorkflowSettings,
  templateVersions: z.record(z.string(), z.int()),
});

// A version has at most 1 MB and never changes. A workflow that was deleted has no executions, so nobody asks for it.
const cachedMax = 200;
const cached = new Map<string, Version>();

/** Reads published versions, each once per process, also of workflows that the caller cannot read. The key of the result is `<workflowId>/<number>`. */
export async function readVersions(
  tx: Tx,
  wanted: readonly { tenantId: number; environment: string; workflowId: number; number: number }[],
): Promise<Map<string, Version>> {
  const found = new Map<string, Version>();
  for (const { tenantId, environment, workflowId, number } of wanted) {
    const key = `${workflowId}/${number}`;
    if (found.has(key)) continue;
    const cacheKey = `${tenantId}/${environment}/${key}`;
    const version = cached.get(cacheKey) ?? (await readVersion(tx, workflowId, number));
    if (!version) continue;
    cached.delete(cacheKey);
    cached.set(cacheKey, version);
    found.set(key, version);
    const [oldest] = cached.keys();
    if (cached.size > cachedMax && oldest !== undefined) cached.delete(oldest);
  }
  return found;
}

async function readVersion(tx: Tx, workflowId: number, number: number): Promise<Version | undefined> {
  const [row] = await tx.sql`SELECT nodes, edges, settings, template_versions AS "templateVersions"
    FROM workflow_version WHERE workflow_id = ${workflowId} AND number = ${number}::int`;
  if (!row) return undefined;
  const { settings, templateVersions, ...graph } = columns.parse(row);
  return { graph: createGraph(graph), settings, templateVersions };
}
