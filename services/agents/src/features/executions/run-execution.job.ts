import { type BatchContext, batchJob, type GiveUpContext } from '@tandem/jobs';
import type { z } from 'zod';
import type { Lead, Tools, Tx } from '../../handler.ts';
import { simulatedLine } from '../../telephony.ts';
import { type AgentRecord, asAgent } from '../agents/agent.ts';
import { askForApproval } from '../approvals/approval.ts';
import { callLead } from './call-lead.ts';
import { asExecution, type Ending, type ExecutionRecord, executionJobs, workingStatuses, workOf } from './execution.ts';
import { recommend } from './recommend.ts';
import { type Ended, failGivenUp, recordEndings } from './record-endings.ts';

type Context = BatchContext<z.output<typeof executionJobs.call.payload>, Tx>;

const pausedMs = 60_000;
// The job itself would try ten times over several hours, which is too long when crm does not answer.
const askingMax = 5;
const togetherMax = 50;

/** Calls take as long as people talk, so each runs in a job of its own. */
export const runCall = (tools: Tools) =>
  batchJob({ ...executionJobs.call, batchMax: 1, giveUp, run: (context: Context) => runExecutions(tools, context) });

/** Recommendations are computed in batches: what many leads share is read once for all of them. */
export const runRecommendation = (tools: Tools) =>
  batchJob({
    ...executionJobs.recommend,
    batchMax: togetherMax,
    giveUp,
    run: (context: Context) => runExecutions(tools, context),
  });

function giveUp({ payload, ...inside }: GiveUpContext<Context['due'][number]['payload'], Tx>): Promise<void> {
  return failGivenUp(inside, payload.executionId);
}

/** Runs executions. Their state is written before the work starts, so that a process that ends in between leaves a known state. */
async function runExecutions(tools: Tools, { due, tx, finish }: Context): Promise<void> {
  const ids = due.map(({ payload }) => payload.executionId);
  const waiting = await tx.execution.findMany({ where: { id: { in: ids }, status: { in: workingStatuses } } });
  if (!waiting.length) return;
  const rows = await tx.agent.findMany({ where: { id: { in: [...new Set(waiting.map(({ agentId }) => agentId))] } } });
  const agents = new Map(rows.map((row) => [row.id, asAgent(row)]));
  const paused = waiting.filter(({ agentId }) => agents.get(agentId)?.status === 'paused');
  const active = waiting.filter(({ agentId }) => agents.get(agentId)?.status === 'active');
  const hasToAsk = ({ agentId, approvalId }: (typeof active)[number]) =>
    agents.get(agentId)?.approvalPolicy === 'always' && approvalId === null;
  const ended = await work(tools, { due, tx }, { agents, rows: active.filter((row) => !hasToAsk(row)) });
  await finish(async (inside) => {
    await askForApproval(inside, active.filter(hasToAsk));
    await recordEndings(inside, ended);
    const resumeAt = new Date(Date.now() + pausedMs);
    const again = new Map<number, Date | undefined>([
      ...paused.map(({ id }) => [id, resumeAt] as const),
      ...ended.map(({ execution, ending }) => [execution.id, ending?.againAt] as const),
    ]);
    return ids.map((id) => again.get(id));
  });
}

interface Working {
  agents: Map<number, AgentRecord>;
  rows: Parameters<typeof asExecution>[0][];
}

/** Runs all due attempts in parallel. A failed attempt is an outcome like any other. */
async function work(
  tools: Tools,
  { due, tx }: Pick<Context, 'due' | 'tx'>,
  { agents, rows }: Working,
): Promise<Ended[]> {
  if (!rows.length) return [];
  const now = new Date();
  await tx.sql`UPDATE execution SET status = 'running', started_at = coalesce(started_at, ${now}::timestamptz)
    WHERE id = ANY(${rows.map(({ id }) => id)}::bigint[]) AND status = ANY(${workingStatuses}::text[])`;
  const executions = rows.map((row) => asExecution({ ...row, status: 'running', startedAt: row.startedAt ?? now }));
  const leads = await findLeads(tools, due, executions).catch((error: unknown) => {
    if (due.some(({ attempts }) => attempts + 1 < askingMax)) throw error;
    return 'unknown' as const;
  });
  // The sandbox calls nobody, whichever line is configured.
  const isSandbox = due[0]?.payload.environment === 'sandbox';
  const line = isSandbox ? { ...tools, telephony: simulatedLine } : tools;
  return Promise.all(
    executions.map(async (execution) => {
      const agent = agents.get(execution.agentId) as AgentRecord;
      const lead = leads === 'unknown' ? leads : leads.get(execution.leadId);
      return { execution, ending: await attempt(line, { agent, execution, lead }) };
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
async function attempt(tools: Tools, { agent, execution, lead }: Attempt): Promise<Ending | undefined> {
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
