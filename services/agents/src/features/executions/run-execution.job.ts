import { type BatchContext, batchJob, type GiveUpContext } from '@tandem/jobs';
import type { z } from 'zod';
import type { Lead, Tools, Tx } from '../../handler.ts';
import { simulatedLine } from '../../telephony.ts';
import { type AgentRecord, asAgent } from '../agents/agent.ts';
import { requestApprovals } from '../approvals/approval.ts';
import { callLead } from './call-lead.ts';
import {
  type AttemptOutcome,
  asExecution,
  type ExecutionRecord,
  executionJobs,
  workingStatuses,
  workOf,
} from './execution.ts';
import { recommend } from './recommend.ts';
import { type AttemptedExecution, failGivenUp, recordOutcomes } from './record-outcomes.ts';

type Context = BatchContext<z.output<typeof executionJobs.call.payload>, Tx>;

const pausedMs = 60_000;
// The job itself would retry ten times over several hours, which is too long when crm is unavailable.
const crmAttemptsMax = 5;
const recommendationBatchMax = 50;

/** Each call runs in its own job, because calls can be long. */
export const runCall = (tools: Tools) =>
  batchJob({ ...executionJobs.call, batchMax: 1, giveUp, run: (context: Context) => runExecutions(tools, context) });

/** Recommendations run in batches, so that shared data is read once per batch. */
export const runRecommendation = (tools: Tools) =>
  batchJob({
    ...executionJobs.recommend,
    batchMax: recommendationBatchMax,
    giveUp,
    run: (context: Context) => runExecutions(tools, context),
  });

function giveUp({ payload, ...transaction }: GiveUpContext<Context['due'][number]['payload'], Tx>): Promise<void> {
  return failGivenUp(transaction, payload.executionId);
}

/** Runs executions. Their status is stored before the work starts, so that it is known after a crash. */
async function runExecutions(tools: Tools, { due, tx, finish }: Context): Promise<void> {
  const ids = due.map(({ payload }) => payload.executionId);
  const waiting = await tx.execution.findMany({ where: { id: { in: ids }, status: { in: workingStatuses } } });
  if (!waiting.length) return;
  const rows = await tx.agent.findMany({ where: { id: { in: [...new Set(waiting.map(({ agentId }) => agentId))] } } });
  const agents = new Map(rows.map((row) => [row.id, asAgent(row)]));
  const paused = waiting.filter(({ agentId }) => agents.get(agentId)?.status === 'paused');
  const active = waiting.filter(({ agentId }) => agents.get(agentId)?.status === 'active');
  const needsApproval = ({ agentId, approvalId }: (typeof active)[number]) =>
    agents.get(agentId)?.approvalPolicy === 'always' && approvalId === null;
  const attempted = await work(tools, { due, tx }, { agents, rows: active.filter((row) => !needsApproval(row)) });
  await finish(async (transaction) => {
    await requestApprovals(transaction, active.filter(needsApproval));
    await recordOutcomes(transaction, attempted);
    const resumeAt = new Date(Date.now() + pausedMs);
    const retryTimes = new Map<number, Date | undefined>([
      ...paused.map(({ id }) => [id, resumeAt] as const),
      ...attempted.map(({ execution, outcome }) => [execution.id, outcome?.retryAt] as const),
    ]);
    return ids.map((id) => retryTimes.get(id));
  });
}

interface ExecutionBatch {
  agents: Map<number, AgentRecord>;
  rows: Parameters<typeof asExecution>[0][];
}

/** Runs all due attempts in parallel. A failed attempt is an outcome like any other. */
async function work(
  tools: Tools,
  { due, tx }: Pick<Context, 'due' | 'tx'>,
  { agents, rows }: ExecutionBatch,
): Promise<AttemptedExecution[]> {
  if (!rows.length) return [];
  const now = new Date();
  const running = await tx.sql<{ id: number }>`
    UPDATE execution SET status = 'running', started_at = coalesce(started_at, ${now}::timestamptz)
    WHERE id IN (SELECT id FROM execution WHERE id = ANY(${rows.map(({ id }) => id)}::bigint[])
      AND status = ANY(${workingStatuses}::text[]) ORDER BY id FOR UPDATE) RETURNING id`;
  // One that was cancelled meanwhile does nothing more.
  const runningIds = new Set(running.map(({ id }) => id));
  const executions = rows
    .filter(({ id }) => runningIds.has(id))
    .map((row) => asExecution({ ...row, status: 'running', startedAt: row.startedAt ?? now }));
  if (!executions.length) return [];
  const leads = await findLeads(tools, due, executions).catch((error: unknown) => {
    if (due.some(({ attempts }) => attempts + 1 < crmAttemptsMax)) throw error;
    return 'unknown' as const;
  });
  // The sandbox makes no real calls, whichever line is configured.
  const isSandbox = due[0]?.payload.environment === 'sandbox';
  const line = isSandbox ? { ...tools, telephony: simulatedLine } : tools;
  return Promise.all(
    executions.map(async (execution) => {
      const agent = agents.get(execution.agentId) as AgentRecord;
      const lead = leads === 'unknown' ? leads : leads.get(execution.leadId);
      return { execution, outcome: await attempt(line, { agent, execution, lead }) };
    }),
  );
}

/** Reads the leads of these executions from crm in one request. Leads that no longer exist are missing from the result. */
async function findLeads(
  { crm }: Tools,
  due: Context['due'],
  executions: ExecutionRecord[],
): Promise<Map<number, Lead>> {
  const { executionId, ...scope } = (due[0] as Context['due'][number]).payload;
  const leads = await crm.findLeads({
    body: { ids: executions.map(({ leadId }) => leadId) },
    as: { ...scope, requestId: `execution_${executionId}` },
  });
  return new Map(leads.map((lead) => [lead.id, lead]));
}

interface Attempt {
  agent: AgentRecord;
  execution: ExecutionRecord;
  lead: Lead | undefined | 'unknown';
}

/** Runs one attempt; undefined when the lead no longer exists. */
async function attempt(tools: Tools, { agent, execution, lead }: Attempt): Promise<AttemptOutcome | undefined> {
  if (!lead) return undefined;
  const startedAt = new Date();
  const type = workOf(execution.kind);
  if (lead === 'unknown') {
    const error = { code: 'unavailable', message: 'The lead could not be read', retryable: true };
    return {
      step: { name: 'Read the lead', type, status: 'failed', startedAt, finishedAt: new Date(), error },
      output: {},
    };
  }
  if (type === 'call') return callLead(tools, { agent, execution, lead, startedAt });
  const advice = recommend(lead, startedAt);
  const step = { name: 'Recommend the next action', type, status: 'succeeded' as const };
  const { action, confidence } = advice;
  return { step: { ...step, startedAt, finishedAt: new Date(), error: null }, output: { action, confidence }, advice };
}
