import {
  event,
  id,
  LeadCondition,
  listQuery,
  name,
  operations,
  page,
  selectConditionsMax,
  stateTable,
  text,
  timestamp,
  timeZone,
  writableCondition,
} from '@tandem/contract';
import { z } from 'zod';
import { bulkRunCompleted, bulkRunStarted } from './bulk-run.ts';
import { leadsPerRunMax, StartedRun } from './bulk-runs.ts';
import { agentErrors, input } from './executions.ts';

export const scheduleStatuses = ['active', 'paused', 'ended'] as const;
export const intervalUnits = ['minutes', 'hours', 'days', 'weeks'] as const;

/** Limits of schedules. `leastMinutes` is the shortest time between two runs. */
export const scheduleLimits = { perEnvironment: 100, leastMinutes: 15, shownTimes: 5 } as const;

export const noLeadsMessage = 'No lead that can be read belongs to the schedule now';

export const ScheduleStatus = z
  .enum(scheduleStatuses)
  .describe('The status of the schedule: `ended` when it has no time any more');

export const scheduleStates = stateTable<(typeof scheduleStatuses)[number]>('AgentSchedule', {
  created: { active: 'createAgentSchedule' },
  changes: { active: { paused: 'pauseAgentSchedule' }, paused: { active: 'resumeAgentSchedule' }, ended: {} },
  automatic: { active: { ended: 'start-scheduled-run.job' } },
});

const Cron = text(100).meta({
  description: `When the agent runs, instead of \`every\`: a cron expression of five fields (minute, hour, day of month, month, day of week), at most every ${scheduleLimits.leastMinutes} minutes`,
  examples: ['0 9 * * 1-5'],
});

export const IntervalUnit = z.enum(intervalUnits).meta({ description: 'The unit of the interval', examples: ['days'] });

const Every = z
  .object({
    value: z
      .int({ error: 'Must be a whole number from 1 to 1000' })
      .min(1, 'Must be at least 1')
      .max(1_000, 'Must be at most 1000')
      .meta({ description: 'The number of units', examples: [2] }),
    unit: IntervalUnit,
  })
  .describe(
    'When the agent runs, instead of `cron`: an interval that begins at `startsAt`. Days and weeks keep the clock time of the time zone',
  );

export const Misfire = z
  .enum(['skip', 'run_once'])
  .describe(
    'What happens to times that passed more than five minutes ago, as after an outage: `skip` leaves them out, `run_once` starts one run for all of them',
  );

const LeadIds = z.array(id('lead')).max(leadsPerRunMax, `Must contain at most ${leadsPerRunMax} ids`);
const filterOf = <Condition extends z.ZodType>(condition: Condition) =>
  z
    .array(condition)
    .min(1, 'Must contain at least 1 condition')
    .max(selectConditionsMax, `Must contain at most ${selectConditionsMax} conditions`)
    .meta({
      description: `Conditions that leads must all meet. A run takes up to ${leadsPerRunMax} leads by their ids; the next run continues after them, and begins again at the end`,
      examples: [[{ field: 'status', operator: 'equals', value: 'contacted' }]],
    });

/** The leads of a schedule. */
const Target = z
  .object({
    leadIds: LeadIds.nullable().meta({
      description: 'The leads, without those that were erased; null with `filter`',
      examples: [null],
    }),
    filter: filterOf(LeadCondition).nullable(),
  })
  .describe('The leads for which the agent runs');

/** The leads of a schedule in a request. */
export const writableTarget = z
  .object({
    leadIds: LeadIds.min(1, 'Must contain at least 1 id').describe('The leads, instead of `filter`').nullish(),
    filter: filterOf(writableCondition).nullish(),
  })
  .meta({
    description: 'The leads for which the agent runs: `leadIds` or `filter`',
    examples: [{ filter: [{ field: 'status', operator: 'equals', value: 'contacted' }] }],
  });

const ScheduleError = z.object({
  code: z.string().meta({ description: 'A machine-readable error code', examples: ['agent_paused'] }),
  message: z.string().meta({ description: 'A human-readable error message', examples: ['The agent is paused'] }),
});

export const AgentSchedule = z.object({
  id: id('agent_schedule'),
  agentId: id('agent'),
  name: name(100).meta({ examples: ['Follow up on weekdays'] }),
  status: ScheduleStatus,
  allowedTransitions: z.array(ScheduleStatus).meta({
    description: 'The statuses that this schedule can currently change to',
    examples: [['paused']],
  }),
  cron: Cron.nullable(),
  every: Every.nullable().meta({ examples: [null] }),
  timezone: timeZone(),
  target: Target,
  input: input.unwrap().nullable(),
  startsAt: timestamp().describe('The earliest time of a run, at which intervals begin'),
  endsAt: timestamp()
    .nullable()
    .meta({ description: 'The end of the schedule; null without one', examples: [null] }),
  misfire: Misfire,
  nextRunAt: timestamp().nullable().describe('When the agent runs next; null unless the schedule is active'),
  nextRuns: z.array(timestamp()).meta({ description: 'The next five times; empty unless the schedule is active' }),
  lastRunAt: timestamp().nullable().describe('When the last run began'),
  lastBulkRunId: id('bulk_run')
    .nullable()
    .meta({ description: 'The last run', examples: [null] }),
  lastError: ScheduleError.nullable().meta({
    description: 'Why the last time started no run, or the schedule was paused by the platform; null otherwise',
    examples: [null],
  }),
  createdBy: id('user').nullable().describe('The user with whose permissions the agent runs'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const change = {
  target: 'agent_schedule',
  data: z.object({ agentScheduleId: id('agent_schedule'), agentId: id('agent') }),
  record: AgentSchedule,
} as const;

export const scheduleCreated = event('agent.schedule_created', {
  ...change,
  description: 'A schedule of an agent is created',
  action: 'agent_schedule.create',
});
export const scheduleUpdated = event('agent.schedule_updated', {
  ...change,
  description: 'A schedule of an agent is updated, paused or resumed',
  action: 'agent_schedule.update',
});
export const scheduleDeleted = event('agent.schedule_deleted', {
  ...change,
  description: 'A schedule of an agent is deleted',
  action: 'agent_schedule.delete',
});
export const scheduleStopped = event('agent.schedule_stopped', {
  ...change,
  data: change.data.extend({ code: z.string(), message: z.string() }),
  description: 'The platform pauses a schedule of an agent, because its user may not run the agent any more',
  action: 'agent_schedule.stop',
});

const withId = z.object({ id: id('agent_schedule') });
const wrongStatus = { wrong_status: [409, 'The schedule cannot change to this status'] } as const;
const example = {
  ...{ cron: '0 9 * * 1-5', every: null, timezone: 'Europe/Berlin', misfire: 'skip' },
  target: { leadIds: null, filter: [{ field: 'status', operator: 'equals', value: 'contacted' }] },
  nextRunAt: '2026-03-02T08:00:00.000Z',
  nextRuns: [
    '2026-03-02T08:00:00.000Z',
    '2026-03-03T08:00:00.000Z',
    '2026-03-04T08:00:00.000Z',
    '2026-03-05T08:00:00.000Z',
    '2026-03-06T08:00:00.000Z',
  ],
} as const;
const ownSchedules = 'Callers who can read only some leads see the schedules that they created.';

const fields = {
  name: name(100).meta({ examples: ['Follow up on weekdays'] }),
  cron: Cron.nullish(),
  every: Every.nullish(),
  timezone: timeZone(),
  target: writableTarget,
  input: input.unwrap().nullish(),
  startsAt: timestamp().describe('The earliest time of a run, at which intervals begin. Defaults to now.').optional(),
  endsAt: timestamp().nullish().describe('The end of the schedule'),
  misfire: Misfire.default('skip'),
};

export const agentSchedules = operations({
  createAgentSchedule: {
    method: 'POST',
    path: '/v1/agents/schedules',
    permission: 'agents:write',
    feature: 'agents',
    also: ['leads:read'],
    summary: 'Schedule an agent',
    description: `Starts a bulk run at each time, with the permissions that the creator has then. \`cron\` or \`every\` is required. A time that the clocks skip is the first one after the gap; a time that they show twice counts once. At most ${scheduleLimits.perEnvironment} schedules.`,
    body: z.object({ agentId: id('agent'), ...fields }),
    reply: AgentSchedule,
    example,
    status: 201,
    message: 'Schedule created',
    emits: [scheduleCreated],
    errors: {
      too_many_schedules: [409, `There are ${scheduleLimits.perEnvironment} schedules; delete one first`],
    },
  },
  listAgentSchedules: {
    method: 'GET',
    path: '/v1/agents/schedules',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'List the schedules of agents',
    description: `\`search\` covers the name. ${ownSchedules}`,
    query: listQuery(['createdAt', 'name']).extend({
      agentId: id('agent').optional(),
      status: ScheduleStatus.optional(),
    }),
    reply: page(AgentSchedule),
    message: 'Schedules retrieved',
  },
  getAgentSchedule: {
    method: 'GET',
    path: '/v1/agents/schedules/:id',
    permission: 'agents:read',
    also: ['leads:read'],
    summary: 'Retrieve a schedule of an agent',
    description: ownSchedules,
    params: withId,
    reply: AgentSchedule,
    example,
    message: 'Schedule retrieved',
  },
  updateAgentSchedule: {
    method: 'PATCH',
    path: '/v1/agents/schedules/:id',
    permission: 'agents:write',
    feature: 'agents',
    also: ['leads:read'],
    summary: 'Update a schedule of an agent',
    description: `Changes the given fields. \`every\` replaces \`cron\`, and \`cron\` replaces \`every\`; \`target\` is replaced as a whole. A schedule that has ended becomes active again if it has another time. ${ownSchedules}`,
    params: withId,
    body: z.object({ ...fields, misfire: Misfire }).partial(),
    reply: AgentSchedule,
    example,
    message: 'Schedule updated',
    emits: [scheduleUpdated],
  },
  deleteAgentSchedule: {
    method: 'DELETE',
    path: '/v1/agents/schedules/:id',
    permission: 'agents:write',
    also: ['leads:read'],
    summary: 'Delete a schedule of an agent',
    description: `Runs that it has started continue. ${ownSchedules}`,
    params: withId,
    ifMatch: true,
    reply: z.object({ id: id('agent_schedule'), deleted: z.literal(true).describe('Always true') }),
    message: 'Schedule deleted',
    emits: [scheduleDeleted],
  },
  pauseAgentSchedule: {
    method: 'POST',
    path: '/v1/agents/schedules/:id/pause',
    permission: 'agents:write',
    also: ['leads:read'],
    summary: 'Pause a schedule of an agent',
    description: `Runs that it has started continue. ${ownSchedules}`,
    params: withId,
    reply: AgentSchedule,
    example: { ...example, status: 'paused', allowedTransitions: ['active'], nextRunAt: null, nextRuns: [] },
    message: 'Schedule paused',
    emits: [scheduleUpdated],
    errors: wrongStatus,
  },
  resumeAgentSchedule: {
    method: 'POST',
    path: '/v1/agents/schedules/:id/resume',
    permission: 'agents:write',
    feature: 'agents',
    also: ['leads:read'],
    summary: 'Resume a paused schedule of an agent',
    description: `Times that passed while it was paused are left out. ${ownSchedules}`,
    params: withId,
    reply: AgentSchedule,
    example,
    message: 'Schedule resumed',
    emits: [scheduleUpdated],
    errors: { ...wrongStatus, no_time_left: [409, 'The schedule has no time any more; change it first'] },
  },
  runAgentSchedule: {
    method: 'POST',
    path: '/v1/agents/schedules/:id/run',
    permission: 'agents:write',
    feature: 'agents',
    also: ['leads:read'],
    summary: 'Run the schedule of an agent now',
    description: `Starts a bulk run for the leads of the schedule that the caller can read; its times stay. ${ownSchedules}`,
    params: withId,
    reply: StartedRun,
    status: 202,
    message: 'Bulk run queued',
    emits: [bulkRunStarted, bulkRunCompleted],
    errors: {
      ...agentErrors,
      no_leads: [409, noLeadsMessage],
      schedule_changed: [409, 'The schedule was changed at the same time; try again'],
    },
  },
});
