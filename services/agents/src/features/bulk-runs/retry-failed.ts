import type { bulkRuns } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { lockStarting } from '../executions/daily-cap.ts';
import { asExecution } from '../executions/execution.ts';
import { readStartable } from '../executions/startable.ts';
import { findRun } from './bulk-run.ts';
import { type RunToStart, startRun } from './start-run.ts';

/** A run whose leads each have the execution that is repeated. */
interface Retry extends RunToStart {
  leads: { publicId: string; leadId: number; retryOf: number }[];
  retryOf: number;
}

export const retryFailed = (tools: Tools): Handler<typeof bulkRuns.retryFailed, Retry> => ({
  async check({ params, caller, tx }) {
    const { id, agentId } = await findRun(tx, caller, params.id);
    const ids = await readUnrepeated(tx, id);
    const failed = await tx.execution.findMany({
      where: { id: { in: ids } },
      orderBy: { id: 'asc' },
    });
    const leadIds = failed.map(({ leadId }) => leadId);
    return {
      startable: await readStartable(tools, { caller, tx }, { agentId, leadIds }),
      leads: failed.map(({ id: retryOf, leadId }) => ({
        publicId: tools.ids.encode('lead', caller.tenantId as number, leadId),
        leadId,
        retryOf,
      })),
      input: failed[0] ? asExecution(failed[0]).input : null,
      scheduledFor: undefined,
      retryOf: id,
    };
  },
  async run({ found, ...context }) {
    // The agent first, in the order of every transaction, and so that no single execution is repeated at the same time.
    await lockStarting(context.tx, found.startable);
    // Two requests at once repeat each execution once: the second one waits here, and sees what the first one has started.
    await context.tx.sql`SELECT id FROM bulk_run WHERE id = ${found.retryOf} FOR UPDATE`;
    const left = new Set(await readUnrepeated(context.tx, found.retryOf));
    return startRun(context, { ...found, leads: found.leads.filter(({ retryOf }) => left.has(retryOf)) });
  },
});

/** The failed executions of a run that no other one repeats. */
async function readUnrepeated(tx: Tx, runId: number): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`SELECT id FROM execution AS failed
    WHERE bulk_run_id = ${runId} AND status IN ('failed', 'timed_out')
      AND NOT EXISTS (SELECT FROM execution WHERE retry_of = failed.id) ORDER BY id`;
  if (!rows.length) throw fail('nothing_failed');
  return rows.map((row) => row.id);
}
