import { type BatchContext, batchJob, type GiveUpContext } from '@tandem/jobs';
import type { z } from 'zod';
import type { Lead, Tools, Tx } from '../../handler.ts';
import { timezoneOf } from '../../tenant-timezone.ts';
import { type AgentRecord, readAgents } from '../agents/agent.ts';
import { readApproved, requestApprovals } from '../approvals/approval.ts';
import { concluded, findStarted, recordCalls } from '../calls/start-call.ts';
import { cancelledEffect, recordEffect } from '../recommendations/recommendation.ts';
import { attempt } from './attempt.ts';
import { dailyTokens } from './daily-tokens.ts';
import { asExecution, type ExecutionRecord, executionJobs, lockExecutions, workingStatuses } from './execution.ts';
import { readRunners } from './read-runners.ts';
import { failGivenUp, postpone, recordOutcomes } from './record-outcomes.ts';
import type { Result } from './result.ts';
import { startRunning } from './start-running.ts';

type Context = BatchContext<z.output<typeof executionJobs.call.payload>, Tx>;

const pausedMs = 60_000;
const clockToleranceMs = 1_000;
// The job itself would retry ten times over several hours, which is too long when crm is unavailable.
const crmAttemptsMax = 5;
const recommendationBatchMax = 50;

/** Each call runs in its own job, because the provider may answer slowly. */
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

/** Approved actions run alone. */
export const performApproved = (tools: Tools) =>
  batchJob({ ...executionJobs.act, batchMax: 1, giveUp, run: (context: Context) => runExecutions(tools, context) });

function giveUp({ payload, ...transaction }: GiveUpContext<Context['due'][number]['payload'], Tx>): Promise<void> {
  return failGivenUp(transaction, payload);
}

/** An execution with what became of it. */
interface Done {
  execution: ExecutionRecord;
  result: Result;
}

/** Runs executions. Their status is stored before the work starts, so that it is known after a crash. */
async function runExecutions(tools: Tools, context: Context): Promise<void> {
  const { due, tx, scope, finish } = context;
  const ids = due.map(({ payload }) => payload.executionId);
  const waiting = await tx.execution.findMany({ where: { id: { in: ids }, status: { in: workingStatuses } } });
  if (!waiting.length) return endLeft(context, ids);
  const agents = await readAgents(
    tx,
    waiting.map(({ agentId }) => agentId),
  );
  const agentOf = ({ agentId }: { agentId: number }) => agents.get(agentId) as AgentRecord;
  const paused = waiting.filter((row) => agentOf(row).status === 'paused');
  const done: Done[] = waiting
    .filter((row) => agentOf(row).status === 'disabled')
    .map((row) => ({ execution: asExecution(row), result: { is: 'skipped', reason: 'The agent was disabled' } }));
  const active = waiting.filter((row) => agentOf(row).status === 'active' && !isLater(row));
  // The end of a call has scheduled the next attempt in a job of its own.
  const later = waiting.filter(isLater).map(({ id, scheduledFor }) => [id, scheduledFor as Date] as const);
  const { running, full } = await startRunning(context, { agents, rows: active });
  const begun = await findBegun(tools, context, { agents, executions: running });
  done.push(...begun);
  const isBegun = new Set(begun.map(({ execution }) => execution.id));
  const executions = running.filter(({ id }) => !isBegun.has(id));
  done.push(...(await work(tools, context, { agents, executions })));

  const resumeAt = new Date(Date.now() + pausedMs);
  const retryTimes = new Map([...paused.map(({ id }) => [id, resumeAt] as const), ...full, ...later]);
  await finish(async (transaction) => {
    // All of them first, in one order.
    await lockExecutions(transaction.tx, ids, workingStatuses);
    const of = <Is extends Result['is']>(is: Is) =>
      done.filter((one): one is Done & { result: Extract<Result, { is: Is }> } => one.result.is === is);
    await recordCalls(
      transaction,
      { ...tools, scope },
      done.map(({ result }) => result),
    );
    await requestApprovals(transaction, of('proposed'));
    await recordOutcomes(transaction, [...of('skipped'), ...of('attempted')]);
    await postpone(
      transaction,
      of('postponed').map(({ execution, result }) => ({ id: execution.id, until: result.until })),
    );
    for (const { execution, result } of of('attempted'))
      if (result.outcome.retryAt) retryTimes.set(execution.id, result.outcome.retryAt);
    for (const { execution, result } of of('postponed')) retryTimes.set(execution.id, result.until);
    return ids.map((id) => retryTimes.get(id));
  });
}

/** Whether a further attempt is due later. The clock of the database, by which jobs are due, may be ahead. */
function isLater({ attempt, scheduledFor }: { attempt: number; scheduledFor: Date | null }): boolean {
  return attempt > 1 && scheduledFor !== null && scheduledFor.getTime() > Date.now() + clockToleranceMs;
}

/** Ends the actions of executions that were cancelled while a process performed them that was killed. */
async function endLeft({ finish }: Context, executionIds: readonly number[]): Promise<void> {
  await finish(async (transaction) => {
    for (const executionId of executionIds) await recordEffect(transaction, { executionId }, cancelledEffect);
    return executionIds.map(() => undefined);
  });
}

/** Executions whose call an earlier run has started: the process was killed before it stored the answer of the provider. */
async function findBegun(
  { callRetryMs }: Tools,
  { tx }: Context,
  { agents, executions }: { agents: Map<number, AgentRecord>; executions: readonly ExecutionRecord[] },
): Promise<Done[]> {
  const begun: Done[] = [];
  for (const execution of executions) {
    const call = execution.kind === 'caller' ? await findStarted(tx, execution) : undefined;
    if (!call) continue;
    const agent = agents.get(execution.agentId) as AgentRecord;
    // Its end was reported while the execution did not wait for it.
    if (call.endedAt) begun.push({ execution, result: concluded(call, { agent, execution, callRetryMs }) });
    else begun.push({ execution, result: { is: 'calling', call: { id: call.id } } });
  }
  return begun;
}

/** Runs all due attempts in parallel. A failed attempt is an outcome like any other. */
async function work(
  tools: Tools,
  context: Context,
  { agents, executions }: { agents: Map<number, AgentRecord>; executions: ExecutionRecord[] },
): Promise<Done[]> {
  if (!executions.length) return [];
  const { due, tx, scope } = context;
  const leads = await findLeads(tools, due, executions).catch((error: unknown) => {
    // An approved action waits as long as its job does.
    const isApproved = executions.some(({ approvalId }) => approvalId !== null);
    if (isApproved || due.some(({ attempts }) => attempts + 1 < crmAttemptsMax)) throw error;
    return 'unknown' as const;
  });
  const approvals = await readApproved(tx, executions);
  const hasWindow = executions.some(({ agentId }) => agents.get(agentId)?.limits.callingWindow);
  const timezone = hasWindow ? await timezoneOf(tools, { ...scope, requestId: requestIdOf(due) }) : 'UTC';
  const asked = executions.filter(({ id, kind }) => kind === 'recommender' && !approvals.has(id));
  const users = await readRunners(tools, { scope, requestId: requestIdOf(due) }, asked);
  const tokens = dailyTokens(tools, tx);
  return Promise.all(
    executions.map(async (execution) => {
      const agent = agents.get(execution.agentId) as AgentRecord;
      const lead = leads === 'unknown' ? leads : leads.get(execution.leadId);
      const approved = approvals.get(execution.id);
      const user = users.get(execution.actingUserId);
      const given = { agent, execution, lead, approved, timezone, user, tokens, scope, line: context };
      return { execution, result: await attempt(tools, given) };
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
    as: { ...scope, requestId: requestIdOf(due) },
  });
  return new Map(leads.map((lead) => [lead.id, lead]));
}

function requestIdOf(due: Context['due']): string {
  return `execution_${due[0]?.payload.executionId}`;
}
