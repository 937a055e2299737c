import type { agentSchedules } from '@tandem/agents-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createAgentSchedule } from './create-agent-schedule.ts';
import { deleteAgentSchedule } from './delete-agent-schedule.ts';
import { getAgentSchedule } from './get-agent-schedule.ts';
import { listAgentSchedules } from './list-agent-schedules.ts';
import { pauseAgentSchedule } from './pause-agent-schedule.ts';
import { resumeAgentSchedule } from './resume-agent-schedule.ts';
import { runAgentSchedule } from './run-agent-schedule.ts';
import { updateAgentSchedule } from './update-agent-schedule.ts';

export const scheduleHandlers = (tools: Tools) =>
  ({
    createAgentSchedule: createAgentSchedule(tools),
    listAgentSchedules,
    getAgentSchedule,
    updateAgentSchedule: updateAgentSchedule(tools),
    deleteAgentSchedule,
    pauseAgentSchedule,
    resumeAgentSchedule,
    runAgentSchedule: runAgentSchedule(tools),
  }) satisfies Handlers<typeof agentSchedules, Tx>;
