import { event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const agentKinds = ['caller', 'recommender'] as const;
export const agentStatuses = ['active', 'paused'] as const;
export const retryableOutcomes = ['no_answer', 'busy', 'failed'] as const;

export const AgentKind = z.enum(agentKinds, { error: `Must be one of ${agentKinds.join(', ')}` });
const AgentStatus = z.enum(agentStatuses, { error: `Must be one of ${agentStatuses.join(', ')}` });
const ApprovalPolicy = z.enum(['always', 'never'], { error: 'Must be one of always, never' });

const Config = z.object({
  /** What the agent is to reach. */
  goal: text(500).nullable(),
  /** What it says, or goes by. */
  script: text(10_000).nullable(),
  tone: text(100).nullable(),
});

const count = (min: number, max: number) => {
  const error = `Must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

const Limits = z.object({
  /** How many executions a day (UTC) may be queued; null for any number. */
  dailyCap: count(1, 100_000).nullable(),
  /** How often a call is tried. */
  maxAttempts: count(1, 10),
  /** After which outcomes a call is tried again. */
  retryOn: z
    .array(z.enum(retryableOutcomes, { error: `Must be one of ${retryableOutcomes.join(', ')}` }))
    .max(retryableOutcomes.length, `Must hold at most ${retryableOutcomes.length} entries`),
});

export const Agent = z.object({
  id: id('agent'),
  name: name(100),
  kind: AgentKind,
  status: AgentStatus,
  /** The statuses that this agent may move to now. */
  allowedTransitions: z.array(AgentStatus),
  description: text(1_000).nullable(),
  config: Config,
  /** Whether somebody has to agree before it acts. */
  approvalPolicy: ApprovalPolicy,
  limits: Limits,
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

export const agentUpdated = event('agent.updated', {
  description: 'An agent is changed, paused or resumed',
  action: 'agent.update',
  target: 'agent',
  data: z.object({ agentId: id('agent') }),
  record: Agent,
});

const Rate = z.number().min(0).max(1);

export const AgentDashboard = z.object({
  agents: z.object({
    caller: z.object({ status: AgentStatus, totalCalls: z.int(), successRate: Rate }),
    recommender: z.object({ status: AgentStatus, totalRecommendations: z.int(), acceptRate: Rate }),
  }),
  recentExecutions: z.int(),
  pendingApprovals: z.int(),
});

const dayMs = 86_400_000;

/** A time, or a day (UTC) for its first moment or its last. */
const day = (edge: 'first' | 'last') =>
  z.union([
    timestamp(),
    z.codec(z.iso.date({ error: 'Must be a date such as 2026-01-31' }), z.date(), {
      decode: (date) => new Date(Date.parse(date) + (edge === 'last' ? dayMs - 1 : 0)),
      encode: (date) => date.toISOString().slice(0, 10),
    }),
  ]);

const withId = z.object({ id: id('agent') });
const wrongStatus = { wrong_status: [409, 'The agent is not in a status that allows this'] } as const;

export const agentRows = operations({
  getAgentDashboard: {
    method: 'GET',
    path: '/v1/agents/dashboard',
    permission: 'agents:read',
    summary: 'Retrieve what the agents did',
    description:
      'Counts between dateFrom and dateTo; without them, of the 30 days before dateTo or now. totalCalls are calls that have ended, and successRate the part of them that was answered; acceptRate is the part of all recommendations that was accepted; pendingApprovals are all that wait now. Rates are 0 without data.',
    query: z.object({ dateFrom: day('first').optional(), dateTo: day('last').optional() }),
    reply: AgentDashboard,
    message: 'Agent dashboard retrieved',
  },
  listAgents: {
    method: 'GET',
    path: '/v1/agents',
    permission: 'agents:read',
    summary: 'List agents',
    description: '`search` looks into the name.',
    query: listQuery(['createdAt', 'name']).extend({ kind: AgentKind.optional(), status: AgentStatus.optional() }),
    reply: page(Agent),
    message: 'Agents retrieved',
  },
  getAgent: {
    method: 'GET',
    path: '/v1/agents/:id',
    permission: 'agents:read',
    summary: 'Retrieve an agent',
    params: withId,
    reply: Agent,
    message: 'Agent retrieved',
  },
  updateAgent: {
    method: 'PATCH',
    path: '/v1/agents/:id',
    permission: 'agents:manage',
    summary: 'Update an agent',
    description:
      'Changes the given fields, also those inside config and limits. What is queued already goes by the new ones. A status pauses or resumes it.',
    params: withId,
    body: z
      .object({
        name: name(100),
        status: AgentStatus,
        description: text(1_000).nullable(),
        config: Config.partial(),
        approvalPolicy: ApprovalPolicy,
        limits: Limits.partial(),
      })
      .partial(),
    reply: Agent,
    message: 'Agent updated',
    emits: [agentUpdated],
    errors: wrongStatus,
  },
  pauseAgent: {
    method: 'POST',
    path: '/v1/agents/:id/pause',
    permission: 'agents:manage',
    summary: 'Pause an agent',
    description: 'It takes no new runs, and what is queued waits until it is resumed.',
    params: withId,
    reply: Agent,
    message: 'Agent paused',
    emits: [agentUpdated],
    errors: wrongStatus,
  },
  resumeAgent: {
    method: 'POST',
    path: '/v1/agents/:id/resume',
    permission: 'agents:manage',
    summary: 'Resume a paused agent',
    description: 'What waits goes on within a minute.',
    params: withId,
    reply: Agent,
    message: 'Agent resumed',
    emits: [agentUpdated],
    errors: wrongStatus,
  },
});
