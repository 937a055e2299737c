import type { agentSchedules } from '@tandem/agents-contract';
import type { Handler } from '../../handler.ts';
import { asSchedule, findSchedule } from './schedule.ts';

export const getAgentSchedule: Handler<typeof agentSchedules.getAgentSchedule> = async ({ params, caller, tx }) =>
  asSchedule(await findSchedule(tx, caller, params.id));
