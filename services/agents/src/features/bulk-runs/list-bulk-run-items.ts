import type { bulkRuns } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { readableLeads } from '../../lead-reach.ts';
import { findRun } from './bulk-run.ts';
import { asItem, bulkRunItems } from './bulk-run-items.ts';

export const listBulkRunItems = (tools: Tools): Handler<typeof bulkRuns.listBulkRunItems, number[] | undefined> => ({
  async check({ params, query: { leadId }, caller, tx }) {
    await findRun(tx, caller, params.id);
    return readableLeads(tools, caller, async () => (leadId === undefined ? leadsOf(tx, params.id) : [leadId]));
  },
  async run({ params, query: { leadId, status }, found: readable, tx, list }) {
    const [run] = await tx.bulkRun.findMany({ where: { id: params.id }, include: { agent: true } });
    if (!run) throw fail('not_found');
    const ofReadable = readable ? [{ leadId: { in: readable } }] : [];
    // A narrowed caller sees own runs only, and has named the leads that were not found.
    const ofOwn =
      readable && leadId === undefined
        ? [{ OR: [{ leadId: { in: readable } }, { code: 'lead_not_found' }] }]
        : ofReadable;
    const page = await list({
      model: bulkRunItems(tx, {
        executions: status === 'rejected' ? undefined : [...ofReadable, ...(status ? [{ status }] : [])],
        rejections: status === undefined || status === 'rejected' ? ofOwn : undefined,
      }),
      where: { bulkRunId: run.id, ...(leadId !== undefined && { leadId }) },
    });
    return { ...page, items: page.items.map((row) => asItem(row, run)) };
  },
});

/** The leads of a run, which are at most 250 of each. */
async function leadsOf(tx: Tx, runId: number): Promise<number[]> {
  const rows = await tx.sql<{ leadId: number }>`
    SELECT lead_id AS "leadId" FROM execution WHERE bulk_run_id = ${runId}::bigint
    UNION SELECT lead_id FROM bulk_run_rejection WHERE bulk_run_id = ${runId}::bigint AND lead_id IS NOT NULL`;
  return rows.map(({ leadId }) => leadId);
}
