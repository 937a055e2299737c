import type { AgentActionValue } from '@tandem/agents-contract';
import type { TokenLimit } from '@tandem/ai';
import type { Caller } from '@tandem/caller';
import type { JobScope } from '@tandem/jobs';
import type { Lead, Tools } from '../../handler.ts';
import { performAction } from '../actions/perform-action.ts';
import { needsApproval, riskOf } from '../actions/risk.ts';
import type { AgentRecord } from '../agents/agent.ts';
import type { LineContext } from '../calls/start-call.ts';
import { askModel } from './ask-model.ts';
import { callLead } from './call-lead.ts';
import type { CallAction } from './call-outcome.ts';
import { nextCallTime } from './calling-window.ts';
import { type ExecutionRecord, workOf } from './execution.ts';
import type { Result } from './result.ts';

/** The decision that an execution has waited for. */
export interface Approved {
  /** The action as proposed or edited; null for an approval of an earlier release. */
  action: AgentActionValue | null;
  decidedBy: number | null;
  decidedAt: Date;
}

export interface Attempt {
  agent: AgentRecord;
  execution: ExecutionRecord;
  /** Undefined when it no longer exists, `unknown` when it cannot be read. */
  lead: Lead | undefined | 'unknown';
  approved: Approved | undefined;
  /** The time zone of the tenant. */
  timezone: string;
  /** The user who runs the agent; undefined when they are not active any more. */
  user: Caller | undefined;
  /** The tokens that the tenant has left for today. */
  tokens: TokenLimit;
  scope: JobScope;
  /** The job, which calls use to store what they start. */
  line: LineContext;
}

/** Runs one attempt, or finds why there is none now. */
export async function attempt(tools: Tools, given: Attempt): Promise<Result> {
  const { execution, lead } = given;
  const startedAt = new Date();
  if (!lead) return { is: 'skipped', reason: 'The lead was deleted' };
  const type = workOf(execution.kind);
  if (lead === 'unknown') {
    const error = { code: 'unavailable', message: 'The lead could not be read', retryable: true };
    const step = { name: 'Read the lead', type, status: 'failed' as const, startedAt, finishedAt: new Date(), error };
    return { is: 'attempted', outcome: { step, output: {} } };
  }
  return type === 'call'
    ? call(tools, { ...given, lead, startedAt })
    : recommendOrAct(tools, { ...given, lead, startedAt });
}

type OnLead = Attempt & { lead: Lead; startedAt: Date };

/** A lead can refuse calls, and the window can close, after the execution was queued. */
async function call(tools: Tools, on: OnLead): Promise<Result> {
  const { agent, execution, lead, approved, timezone, startedAt, line } = on;
  if (lead.consent?.phone?.state === 'denied') return { is: 'skipped', reason: 'The lead has refused to be called' };
  const { goal, script } = agent.config;
  const proposed: CallAction = { type: 'call', goal, script };
  const risk = riskOf(proposed, lead);
  if (!approved && needsApproval(agent.approvalPolicy, risk))
    return { is: 'proposed', proposal: { action: proposed, rationale: goal, risk, assignee: lead.assignedTo } };
  const { callingWindow } = agent.limits;
  const zone = (callingWindow?.timezone === 'lead' && lead.timezone) || timezone;
  const until = callingWindow && nextCallTime(callingWindow, zone, startedAt);
  if (until) return { is: 'postponed', until };
  const action = approved?.action?.type === 'call' ? approved.action : proposed;
  const { callRetryMs } = tools;
  return callLead(tools, line, { agent, execution, lead, action, startedAt, callRetryMs });
}

async function recommendOrAct(tools: Tools, on: OnLead): Promise<Result> {
  const { agent, execution, lead, approved, startedAt, scope } = on;
  if (approved?.action) {
    const { action, decidedAt, decidedBy: userId } = approved;
    const key = `agents-execution-${execution.id}`;
    const effect = await performAction(tools, { action, leadId: lead.id, userId, decidedAt, key }, scope);
    const error = 'error' in effect ? { ...effect.error, retryable: false } : null;
    const status = error ? ('failed' as const) : ('succeeded' as const);
    const step = { name: 'Perform the approved action', type: 'act' as const, status, startedAt, error };
    const output = { ...execution.output, performed: action.type };
    return { is: 'attempted', outcome: { step: { ...step, finishedAt: new Date() }, output, effect } };
  }
  const { advice, trace, source, usage } = await askModel(tools, on);
  const { action, confidence, proposal, reason } = advice;
  const step = { name: 'Recommend the next action', type: 'recommend' as const, status: 'succeeded' as const };
  const done = { ...step, startedAt, finishedAt: new Date(), error: null };
  const risk = riskOf(proposal, lead);
  if (!approved && needsApproval(agent.approvalPolicy, risk)) {
    const assignee = lead.assignedTo;
    const steps = [...trace, done];
    const asked = { source, usage };
    return {
      is: 'proposed',
      proposal: { action: proposal, rationale: reason, risk, assignee, advice, steps, ...asked },
    };
  }
  const output = { action, confidence };
  return { is: 'attempted', outcome: { trace, step: done, output, advice, source, usage } };
}
