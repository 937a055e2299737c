import { executionCompleted, executionFailed } from '@tandem/agents-contract';
import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Lead, Tools, Tx } from '../../handler.ts';
import { type AgentRecord, asAgent } from '../agents/agent.ts';
import { askForApproval } from '../approvals/approval.ts';
import { callLead } from './call-lead.ts';
import { asExecution, type ExecutionRecord, executionJob, type Step, workingStatuses } from './execution.ts';
import { type Advice, recommend } from './recommend.ts';

/** What came of an attempt. */
export interface Ending {
  step: Step;
  output: Record<string, unknown>;
  advice?: Advice;
  /** When it is to be tried again. */
  againAt?: Date;
}

const pausedMs = 60_000;
// The job itself would try ten times; a lead should not wait for hours on a crm that does not answer.
const askingMax = 5;

/** Does the work of one execution. Its state is written before anything is waited for, so a lost process leaves it clear. */
export const runExecution = (tools: Tools) =>
  job({
    ...executionJob,
    async run({ payload, attempts, tx, finish }: JobContext<z.output<typeof executionJob.payload>, Tx>) {
      const [waiting] = await tx.execution.findMany({
        where: { id: payload.executionId, status: { in: workingStatuses } },
      });
      const owner = waiting && (await tx.agent.findFirst({ where: { id: waiting.agentId } }));
      if (!waiting || !owner) return;
      const agent = asAgent(owner);
      if (agent.status === 'paused') return finish(async () => new Date(Date.now() + pausedMs));
      if (agent.approvalPolicy === 'always' && waiting.approvalId === null)
        return finish((inside) => askForApproval(inside, waiting));
      const startedAt = waiting.startedAt ?? new Date();
      await tx.execution.updateMany({ where: { id: waiting.id }, data: { status: 'running', startedAt } });
      const execution = asExecution({ ...waiting, startedAt });
      const lead = await findLead(tools, payload, waiting.leadId).catch((error: unknown) => {
        if (attempts + 1 < askingMax) throw error;
        return 'unknown' as const;
      });
      const ending = await attempt(tools, { agent, execution, lead });
      await finish(async ({ tx, emit }) => {
        const { status, againAt, ...data } = changesBy(execution, ending);
        const [row] = await tx.execution.updateManyAndReturn({
          where: { id: execution.id, status: 'running' },
          data: { status, ...data } as object,
        });
        if (!row || againAt) return againAt;
        const { id: executionId, agentId, leadId } = execution;
        if (ending?.advice) {
          const { factors, ...advice } = ending.advice;
          await tx.recommendation.create({ data: { executionId, agentId, leadId, ...advice, factors } });
        }
        if (status === 'skipped') return;
        const said = { data: { executionId, agentId, leadId }, record: asExecution(row) };
        emit(status === 'failed' ? executionFailed : executionCompleted, said);
      });
    },
  });

async function findLead(
  { crm }: Tools,
  { executionId, ...scope }: z.output<typeof executionJob.payload>,
  leadId: number,
): Promise<Lead | undefined> {
  const leads = await crm.findLeads({
    body: { ids: [leadId] },
    as: { ...scope, requestId: `execution_${executionId}` },
  });
  return leads[0];
}

interface Attempt {
  agent: AgentRecord;
  execution: ExecutionRecord;
  lead: Lead | undefined | 'unknown';
}

/** The work itself; undefined when the lead is gone. */
async function attempt(tools: Tools, { agent, execution, lead }: Attempt): Promise<Ending | undefined> {
  if (!lead) return undefined;
  const startedAt = new Date();
  if (lead === 'unknown') {
    const error = { code: 'unavailable', message: 'The lead could not be read', retryable: true };
    const type = execution.kind === 'caller' ? ('call' as const) : ('recommend' as const);
    return {
      step: { name: 'Read the lead', type, status: 'failed', startedAt, finishedAt: new Date(), error },
      output: {},
    };
  }
  if (execution.kind === 'caller') return callLead(tools, { agent, execution, lead, startedAt });
  const advice = recommend(lead, startedAt);
  const step = { name: 'Recommend the next action', type: 'recommend' as const, status: 'succeeded' as const };
  const { action, confidence } = advice;
  return { step: { ...step, startedAt, finishedAt: new Date(), error: null }, output: { action, confidence }, advice };
}

/** What an ending changes about an execution. */
function changesBy(execution: ExecutionRecord, ending: Ending | undefined) {
  const finishedAt = new Date();
  if (!ending) return { status: 'skipped', finishedAt, output: { reason: 'The lead is gone' } };
  const { step, output, againAt } = ending;
  const steps = [...execution.steps, step];
  if (againAt) return { status: 'queued', steps, output, attempt: execution.attempt + 1, againAt };
  const { error } = step;
  return { status: error ? 'failed' : 'succeeded', steps, output, finishedAt, ...(error && { error }) };
}
