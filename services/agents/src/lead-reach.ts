import type { Caller } from '@tandem/caller';
import { filteredLeadsMax } from '@tandem/crm-contract';
import { asService, fail, reachOf } from '@tandem/service';
import type { Fragment } from '@tandem/tenant-db';
import type { Tools, Tx } from './handler.ts';

// Limits of lists for narrowed callers: latest records, and leads of these records.
const consideredRecordsMax = 20_000;
const consideredLeadsMax = filteredLeadsMax;

/**
 * Gets from crm which of these leads the caller may read; undefined, without a request, when they may read all leads.
 * @param candidates reads the lead ids to check, at most `filteredLeadsMax`
 */
export async function readableLeads(
  { crm }: Pick<Tools, 'crm'>,
  caller: Caller,
  candidates: () => Promise<number[]>,
): Promise<number[] | undefined> {
  const reach = reachOf(caller, 'leads:read');
  if (reach === 'all') return undefined;
  const ids = await candidates();
  if (!ids.length) return [];
  const found = await crm.filterLeads({ body: { ids }, as: asService(caller, reach) }).catch(() => {
    throw fail('unavailable');
  });
  return found.ids;
}

/**
 * The leads to which a list of records is limited for this caller; undefined when it is not limited.
 * @param table table of the records
 * @param leadId the lead to which the request limits the list
 */
export function readableLeadsOf(
  tools: Pick<Tools, 'crm'>,
  { caller, tx, table, leadId }: { caller: Caller; tx: Tx; table: Fragment; leadId?: number | undefined },
): Promise<number[] | undefined> {
  return readableLeads(tools, caller, async () => {
    if (leadId !== undefined) return [leadId];
    const rows = await tx.sql<{ lead_id: number }>`
      SELECT DISTINCT lead_id FROM (SELECT lead_id FROM ${table} ORDER BY id DESC LIMIT ${consideredRecordsMax}) AS latest
      LIMIT ${consideredLeadsMax}`;
    return rows.map((row) => row.lead_id);
  });
}

/** Fails with 404 when the record does not exist or the caller may not read its lead. */
export async function checkLeadReadable(
  tools: Pick<Tools, 'crm'>,
  caller: Caller,
  record: { leadId: number } | null,
): Promise<void> {
  if (!record) throw fail('not_found');
  const readable = await readableLeads(tools, caller, async () => [record.leadId]);
  if (readable && !readable.includes(record.leadId)) throw fail('not_found');
}
