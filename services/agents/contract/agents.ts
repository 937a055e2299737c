import { event, id, listQuery, name, operations, page, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { scriptLimit } from './actions.ts';

export const agentKinds = ['caller', 'recommender'] as const;
export const agentStatuses = ['active', 'paused', 'disabled'] as const;
export const retryableOutcomes = ['no_answer', 'busy', 'failed'] as const;

export const AgentKind = z
  .enum(agentKinds)
  .describe('The kind of agent: `caller` calls leads, `recommender` recommends the next step');
/** Maximum number of agents in an environment. */
export const agentsMax = 50;

export const AgentStatus = z
  .enum(agentStatuses)
  .describe(
    'The status of the agent: a `paused` one keeps its queued executions until it is resumed, those of a `disabled` one are skipped',
  );
export const ApprovalPolicy = z
  .enum(['always', 'risky', 'never'])
  .describe('Which actions of the agent require approval: `always` all, `risky` those with a high risk, `never` none');

/** The configuration of an agent. */
export const AgentConfig = z.object({
  goal: text(500)
    .nullable()
    .meta({ description: 'The goal of the agent', examples: ['Agree on a first meeting'] }),
  script: text(10_000)
    .nullable()
    .meta({
      description: `The script of a caller, or the rules of a recommender. ${scriptLimit}`,
      examples: ['Ask what they use today.'],
    }),
  tone: text(100)
    .nullable()
    .meta({ description: 'The tone of the agent', examples: ['friendly'] }),
  model: text(100)
    .nullable()
    .meta({ description: 'The model of the AI provider; null for the default', examples: [null] }),
});

/** The type of work in one step. */
export const StepType = z
  .enum(['call', 'recommend', 'act', 'tool'])
  .describe(
    'The type of the step: call a lead, recommend the next step, perform an approved action, or read data with a tool of the model',
  );

const count = (min: number, max: number) => {
  const error = `Must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

/** A call outcome after which the call can be retried. */
export const RetryableOutcome = z
  .enum(retryableOutcomes)
  .describe('A call outcome after which the call can be retried');

const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time of the day such as 09:00');

/** The time zone by which an agent calls. */
export const CallingZone = z.enum(['lead', 'tenant']);

/** When an agent may call. */
export const CallingWindow = z
  .object({
    days: z
      .array(z.int().min(1, 'Must be at least 1').max(7, 'Must be at most 7'))
      .min(1, 'Must contain at least 1 day')
      .max(7, 'Must contain at most 7 days')
      .meta({ description: 'The days of the week, from 1 (Monday) to 7 (Sunday)', examples: [[1, 2, 3, 4, 5]] }),
    start: Clock.meta({ description: 'The time from which calls may begin', examples: ['09:00'] }),
    end: Clock.meta({ description: 'The time until which calls may begin', examples: ['18:00'] }),
    timezone: CallingZone.describe(
      'The time zone: that of the lead, or that of the tenant if the lead has none; or always that of the tenant',
    ),
  })
  .refine(({ start, end }) => start < end, { path: ['end'], error: 'Must be after start' })
  .describe('When calls may begin; other calls wait for the next time. Null for no limit');

/** The limits of an agent. */
export const AgentLimits = z.object({
  maxConcurrent: count(1, 1_000)
    .nullable()
    .meta({ description: 'The maximum number of executions at once; null for no limit', examples: [5] }),
  callingWindow: CallingWindow.nullable(),
  dailyCap: count(1, 100_000)
    .nullable()
    .meta({
      description: 'The maximum number of executions due per day, in the time zone of the tenant; null for no limit',
      examples: [200],
    }),
  maxAttempts: count(1, 10).meta({ description: 'The maximum number of attempts per call', examples: [2] }),
  retryOn: z
    .array(RetryableOutcome)
    .max(retryableOutcomes.length, `Must contain at most ${retryableOutcomes.length} entries`)
    .describe('The outcomes after which a call is retried'),
});

export const agentStates = stateTable<(typeof agentStatuses)[number]>('Agent', {
  created: { active: 'createAgent' },
  changes: {
    active: { paused: 'pauseAgent', disabled: 'updateAgent' },
    paused: { active: 'resumeAgent', disabled: 'updateAgent' },
    disabled: { active: 'resumeAgent' },
  },
});

export const Agent = z.object({
  id: id('agent'),
  name: name(100).meta({ examples: ['Caller'] }),
  kind: AgentKind,
  status: AgentStatus,
  allowedTransitions: z
    .array(AgentStatus)
    .meta({ description: 'The statuses that this agent can currently change to', examples: [['paused', 'disabled']] }),
  description: text(1_000)
    .nullable()
    .meta({ examples: ['Calls leads and records the outcome'] }),
  config: AgentConfig.describe('The configuration of the agent'),
  approvalPolicy: ApprovalPolicy,
  limits: AgentLimits.describe('The limits of the agent'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** The settings of an agent in an event or a row of an earlier release, which lacks the newer ones. */
export const storedAgentSettings = {
  config: AgentConfig.extend({ model: AgentConfig.shape.model.default(null) }),
  limits: AgentLimits.extend({
    maxConcurrent: AgentLimits.shape.maxConcurrent.default(null),
    callingWindow: AgentLimits.shape.callingWindow.default(null),
  }),
};

const change = {
  target: 'agent',
  data: z.object({ agentId: id('agent') }),
  record: Agent.extend(storedAgentSettings),
} as const;

export const agentCreated = event('agent.created', {
  ...change,
  description: 'An agent is created',
  action: 'agent.create',
});

export const agentDeleted = event('agent.deleted', {
  ...change,
  description: 'An agent is deleted',
  action: 'agent.delete',
});

export const agentUpdated = event('agent.updated', {
  ...change,
  description: 'An agent is updated, paused, resumed or disabled',
  action: 'agent.update',
});

const Rate = z.number().min(0).max(1);

export const AgentDashboard = z.object({
  agents: z
    .object({
      caller: z
        .object({
          status: AgentStatus,
          isSimulated: z
            .boolean()
            .meta({ description: 'Whether calls are simulated: true in the sandbox', examples: [false] }),
          totalCalls: z.int().meta({ description: 'The number of completed calls', examples: [120] }),
          successRate: Rate.meta({
            description: 'The share of these calls that were answered, from 0 to 1',
            examples: [0.4],
          }),
        })
        .describe('The results of the caller agents'),
      recommender: z
        .object({
          status: AgentStatus,
          totalRecommendations: z.int().meta({ description: 'The number of recommendations', examples: [80] }),
          acceptRate: Rate.meta({
            description: 'The share of accepted recommendations, from 0 to 1',
            examples: [0.65],
          }),
        })
        .describe('The results of the recommender agents'),
    })
    .describe('The results of the agents, by kind'),
  recentExecutions: z.int().meta({ description: 'The number of executions in the period', examples: [200] }),
  pendingApprovals: z.int().meta({ description: 'The current number of pending approvals', examples: [3] }),
});

const notADay = 'Must be a date such as 2026-01-31';
// PostgreSQL and Date have the years 1 to 9999 in common, and a time zone can shift a day to the year before or after.
const Day = z.string().refine((day) => day > '0001-01-01' && day < '9999-12-31', { error: notADay });

/** A time, or a day in the time zone of the tenant. */
const timeOrDay = () => z.union([timestamp(), z.iso.date({ error: notADay }).pipe(Day)]);

// Requests name some of these, so the examples of responses cannot follow from them.
const exampleSettings = {
  config: { goal: 'Agree on a first meeting', script: null, tone: null, model: null },
  limits: { maxConcurrent: 5, callingWindow: null, dailyCap: 200, maxAttempts: 2, retryOn: ['no_answer'] },
} as const;
const withId = z.object({ id: id('agent') });
const wrongStatus = { wrong_status: [409, 'The agent cannot change to this status'] } as const;

export const agentRows = operations({
  getAgentDashboard: {
    method: 'GET',
    path: '/v1/agents/dashboard',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'Retrieve the agent dashboard',
    description:
      'Returns the counts for the period from `dateFrom` to `dateTo`, for leads that the caller can read. The default period is the last 30 days. Rates are 0 if there is no data.',
    query: z.object({
      dateFrom: timeOrDay()
        .describe(
          'The start of the period: a time, or the start of a day in the time zone of the tenant. Defaults to 30 days before its end.',
        )
        .optional(),
      dateTo: timeOrDay()
        .describe('The end of the period: a time, or the end of a day in the time zone of the tenant. Defaults to now.')
        .optional(),
    }),
    reply: AgentDashboard,
    message: 'Agent dashboard retrieved',
  },
  listAgents: {
    method: 'GET',
    path: '/v1/agents',
    permission: 'agents:read',
    summary: 'List agents',
    description: '`search` covers the name.',
    query: listQuery(['createdAt', 'name']).extend({ kind: AgentKind.optional(), status: AgentStatus.optional() }),
    reply: page(Agent),
    message: 'Agents retrieved',
  },
  createAgent: {
    method: 'POST',
    path: '/v1/agents',
    permission: 'agents:manage',
    feature: 'agents',
    summary: 'Create an agent',
    description: `Fields of \`config\` are null by default, and so are the limits; a call is attempted up to 3 times, after \`no_answer\` and \`busy\`. At most ${agentsMax} agents.`,
    body: z.object({
      name: name(100).meta({ examples: ['Caller for trade fairs'] }),
      kind: AgentKind,
      description: text(1_000)
        .nullish()
        .meta({ examples: ['Calls leads of trade fairs'] }),
      config: AgentConfig.partial().describe('The configuration of the agent').optional(),
      approvalPolicy: ApprovalPolicy.default('risky'),
      limits: AgentLimits.partial().describe('The limits of the agent').optional(),
    }),
    reply: Agent,
    example: exampleSettings,
    status: 201,
    message: 'Agent created',
    emits: [agentCreated],
    errors: { too_many_agents: [409, `There are ${agentsMax} agents; delete one first`] },
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
    feature: 'agents',
    summary: 'Update an agent',
    description:
      'Changes the given fields, including single fields of `config` and `limits`. Queued executions use the new settings. A new `status` pauses, resumes or disables the agent.',
    params: withId,
    body: z
      .object({
        name: name(100),
        status: AgentStatus,
        description: text(1_000).nullable(),
        config: AgentConfig.partial(),
        approvalPolicy: ApprovalPolicy,
        limits: AgentLimits.partial(),
      })
      .partial(),
    reply: Agent,
    example: exampleSettings,
    message: 'Agent updated',
    emits: [agentUpdated],
    errors: wrongStatus,
  },
  deleteAgent: {
    method: 'DELETE',
    path: '/v1/agents/:id',
    permission: 'agents:manage',
    summary: 'Delete an agent',
    description:
      'Its schedules are deleted; its executions, approvals and recommendations stay. An agent with executions that have not ended cannot be deleted.',
    params: withId,
    ifMatch: true,
    reply: z.object({ id: id('agent'), deleted: z.literal(true).describe('Always true') }),
    message: 'Agent deleted',
    emits: [agentDeleted],
    errors: {
      has_running_work: [409, 'The agent has executions that have not ended; cancel them or wait for their end'],
    },
  },
  pauseAgent: {
    method: 'POST',
    path: '/v1/agents/:id/pause',
    permission: 'agents:manage',
    summary: 'Pause an agent',
    description: 'A paused agent accepts no new runs. Queued executions wait until the agent is resumed.',
    params: withId,
    reply: Agent,
    example: { status: 'paused', allowedTransitions: ['active', 'disabled'] },
    message: 'Agent paused',
    emits: [agentUpdated],
    errors: wrongStatus,
  },
  resumeAgent: {
    method: 'POST',
    path: '/v1/agents/:id/resume',
    permission: 'agents:manage',
    feature: 'agents',
    summary: 'Resume a paused or disabled agent',
    description: 'Queued executions continue within a minute.',
    params: withId,
    reply: Agent,
    message: 'Agent resumed',
    emits: [agentUpdated],
    errors: wrongStatus,
  },
});
