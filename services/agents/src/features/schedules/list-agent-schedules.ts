import type { agentSchedules } from '@tandem/agents-contract';
import type { Handler } from '../../handler.ts';
import { asSchedule, visibleTo } from './schedule.ts';

export const listAgentSchedules: Handler<typeof agentSchedules.listAgentSchedules> = async ({
  query: { agentId, status },
  caller,
  tx,
  list,
}) => {
  const page = await list({
    model: tx.agentSchedule,
    where: { ...(agentId !== undefined && { agentId }), ...(status && { status }) },
    and: [visibleTo(caller)],
    searchIn: ['name'],
  });
  return { ...page, items: page.items.map(asSchedule) };
};
