import { effectiveSettings } from '@tandem/campaign-contract';
import type { Tx } from '../../handler.ts';
import type { Deed, History, LeadRecord } from './facts.ts';
import { type GraphNode, holdsLead } from './graph.ts';
import { readVersions, type Version } from './versions.ts';

/** An execution that is due, with what decides how it continues. */
export interface Due {
  executionId: number;
  tenantId: number;
  environment: 'live' | 'sandbox';
  workflowId: number;
  number: number;
  campaignId: number | null;
  leadId: number;
  status: 'running' | 'waiting';
  nodeId: string;
  step: number;
  enteredAt: Date;
  dueAt: Date | null;
  startedAt: Date;
  wake: number;
  attempts: number;
  chain: number[];
  payload: Record<string, unknown>;
  workflowStatus: string;
  campaignStatus: string | null;
  campaignTimezone: string | null;
  campaignTopicId: number | null;
  campaignWindow: { from: string; to: string; days?: number[] } | null;
}

/** A due execution with its version and settings. */
export type Ready = Due & { version: Version; settings: ReturnType<typeof effectiveSettings> };

/** Reads the live executions of payloads whose `wake` is current. */
export async function readDue(tx: Tx, payloads: readonly { executionId: number; wake: number }[]): Promise<Ready[]> {
  const rows = await tx.sql<Due>`
    SELECT execution.id AS "executionId", execution.tenant_id AS "tenantId", execution.environment,
      execution.workflow_id AS "workflowId", execution.number, execution.campaign_id AS "campaignId",
      execution.lead_id AS "leadId", execution.status, execution.node_id AS "nodeId", execution.step,
      execution.entered_at AS "enteredAt", execution.due_at AS "dueAt", execution.started_at AS "startedAt",
      execution.wake, execution.attempts, execution.chain, execution.payload, workflow.status AS "workflowStatus",
      campaign.status AS "campaignStatus", campaign.timezone AS "campaignTimezone",
      campaign.topic_id AS "campaignTopicId", campaign.send_window AS "campaignWindow"
    FROM jsonb_to_recordset(${JSON.stringify(payloads)}::jsonb) AS given ("executionId" bigint, wake int)
    JOIN execution ON execution.id = given."executionId" AND execution.wake = given.wake
    JOIN workflow ON workflow.id = execution.workflow_id
    LEFT JOIN campaign ON campaign.id = execution.campaign_id
    WHERE execution.status IN ('running', 'waiting')`;
  const versions = await readVersions(tx, rows);
  return rows.map((row) => {
    const version = versions.get(`${row.workflowId}/${row.number}`);
    if (!version) throw new Error(`The workflow ${row.workflowId} has no version ${row.number}`);
    return { ...row, version, settings: effectiveSettings(version.settings) };
  });
}

/** The deeds of leads since their executions began, by execution, without those of software such as link scanners. */
export async function readDeeds(tx: Tx, due: readonly Due[]): Promise<Map<number, Deed[]>> {
  const rows = await tx.sql<Deed & { executionId: number }>`
    SELECT given."executionId", engagement.type, engagement.node_id AS "nodeId", max(engagement.at) AS at
    FROM jsonb_to_recordset(${JSON.stringify(due.map(({ executionId, leadId, startedAt }) => ({ executionId, leadId, startedAt })))}::jsonb)
      AS given ("executionId" bigint, "leadId" bigint, "startedAt" timestamptz)
    JOIN engagement ON engagement.lead_id = given."leadId" AND engagement.at >= given."startedAt"
      AND (engagement.execution_id = given."executionId" OR engagement.execution_id IS NULL)
    WHERE NOT engagement.automated
    GROUP BY 1, 2, 3`;
  return Map.groupBy(rows, ({ executionId }) => executionId);
}

const noHistory: History = { messageAt: null, leftAt: new Map() };

/** The histories of executions, for those whose workflow waits for events, or has a wait that does not hold a cycle. */
export async function readHistories(tx: Tx, due: readonly Ready[]): Promise<(executionId: number) => History> {
  const ids = due.filter(({ version }) => version.graph.nodes.some(needsHistory)).map(({ executionId }) => executionId);
  if (!ids.length) return () => noHistory;
  const messages = await tx.sql<{ executionId: number; messageAt: Date }>`
    SELECT execution_id AS "executionId", max(coalesce(claimed_at, sent_at)) AS "messageAt" FROM message
    WHERE execution_id = ANY(${ids}::bigint[]) AND status NOT IN ('queued', 'skipped', 'failed') GROUP BY 1`;
  const waits = await tx.sql<{ executionId: number; nodeId: string; leftAt: Date }>`
    SELECT execution_id AS "executionId", node_id AS "nodeId", max(ended_at) AS "leftAt" FROM execution_step
    WHERE execution_id = ANY(${ids}::bigint[]) AND type IN ('wait', 'wait_for_event') AND outcome = 'done' GROUP BY 1, 2`;
  const messageAt = new Map(messages.map((row) => [row.executionId, row.messageAt]));
  const left = Map.groupBy(waits, ({ executionId }) => executionId);
  return (id) => ({
    messageAt: messageAt.get(id) ?? null,
    leftAt: new Map(left.get(id)?.map((row) => [row.nodeId, row.leftAt])),
  });
}

function needsHistory(node: GraphNode): boolean {
  return node.type === 'wait_for_event' || (node.type === 'wait' && !holdsLead(node));
}

/** The time zone that applies to an execution. */
export function zoneOf(
  { settings, campaignTimezone }: Pick<Ready, 'settings' | 'campaignTimezone'>,
  { timezone }: Pick<LeadRecord, 'timezone'>,
  tenantZone: string | undefined,
): string {
  const own = settings.timezone === 'lead' ? timezone : null;
  return own ?? campaignTimezone ?? tenantZone ?? 'UTC';
}
