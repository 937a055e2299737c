import type { agentSchedules } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { startRun } from '../bulk-runs/start-run.ts';
import { asSchedule, findSchedule } from './schedule.ts';
import { readScheduledRun, type ScheduledRun } from './target.ts';

export const runAgentSchedule = (tools: Tools): Handler<typeof agentSchedules.runAgentSchedule, ScheduledRun> => ({
  async check({ params, caller, tx }) {
    const row = await findSchedule(tx, caller, params.id);
    const run = await readScheduledRun(tools, { caller, tx }, row, asSchedule(row));
    if (!run.leads.length) throw fail('no_leads');
    return run;
  },
  async run({ params, found, ...context }) {
    const { afterLeadId, ...run } = found;
    const started = await startRun(context, run);
    await context.tx.agentSchedule.updateMany({
      where: { id: params.id },
      data: { afterLeadId, lastRunAt: new Date(), lastBulkRunId: started.bulkRunId },
    });
    return started;
  },
});
