import type { bulkRuns } from '@tandem/agents-contract';
import type { Handler, Tools } from '../../handler.ts';
import { checkSchedule, readStartable } from '../executions/startable.ts';
import { type RunToStart, startRun } from './start-run.ts';

export const runAgentInBulk = (tools: Tools): Handler<typeof bulkRuns.runAgentInBulk, RunToStart> => ({
  async check({ params, body: { leadIds: publicIds, input = null, scheduledFor }, caller, tx }) {
    checkSchedule(scheduledFor);
    const leads = publicIds.map((publicId) => ({
      publicId,
      leadId: tools.ids.decode('lead', caller.tenantId, publicId),
    }));
    const leadIds = leads.flatMap(({ leadId }) => leadId ?? []);
    const startable = await readStartable(tools, { caller, tx }, { agentId: params.id, leadIds });
    return { startable, leads, input, scheduledFor };
  },
  run: ({ found, ...context }) => startRun(context, found),
});
