import type { agentSchedules } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { startRun } from '../bulk-runs/start-run.ts';
import { asSchedule, findSchedule, lockSchedule } from './schedule.ts';
import { readScheduledRun, type ScheduledRun } from './target.ts';

interface Found {
  run: ScheduledRun;
  version: number;
}

export const runAgentSchedule = (tools: Tools): Handler<typeof agentSchedules.runAgentSchedule, Found> => ({
  async check({ params, caller, tx }) {
    const row = await findSchedule(tx, caller, params.id);
    const run = await readScheduledRun(tools, { caller, tx }, row, asSchedule(row));
    return { run, version: row.version };
  },
  async run({ params, found, ...context }) {
    const { afterLeadId, ...run } = found.run;
    // Before the agent, in the order of the job of a schedule.
    const row = await lockSchedule(context.tx, context.caller, params.id);
    if (row.version !== found.version) throw fail('schedule_changed');
    if (!run.leads.length) throw fail('no_leads');
    const started = await startRun(context, run);
    await context.tx.agentSchedule.updateMany({
      where: { id: params.id },
      data: { afterLeadId, lastRunAt: new Date(), lastBulkRunId: started.bulkRunId },
    });
    return started;
  },
});
