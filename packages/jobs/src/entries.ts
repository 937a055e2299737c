import type { Scope } from '@tandem/tenant-db';
import type { ClaimedRow } from './due-rows.ts';

/** What an entry in Redis says: jobs of one kind and tenant that run together. */
export interface Entry {
  ids: number[];
  scope: Scope;
}

/** An entry as BullMQ takes it. */
interface NewEntry {
  name: string;
  data: Entry;
  opts: { jobId: string; removeOnComplete: true; removeOnFail: true };
}

/**
 * Makes the entries for some rows. Rows that were never tried run together, up to the most that their kind allows. The
 * entries of tenants alternate, so that none waits behind all of another.
 */
export function entriesOf(rows: readonly ClaimedRow[], batchMaxOf: (name: string) => number): NewEntry[] {
  const groups = Map.groupBy(rows, ({ name, tenant_id, environment }) => `${name}/${tenant_id}/${environment}`);
  const perGroup = [...groups.values()].map((group) => batchesOf(group, batchMaxOf(group[0]?.name ?? '')).map(entryOf));
  return alternate(perGroup);
}

function batchesOf(group: ClaimedRow[], batchMax: number): ClaimedRow[][] {
  // RETURNING keeps no order.
  const oldestFirst = group.toSorted((a, b) => a.due - b.due || a.id - b.id);
  const retried = oldestFirst.filter(({ attempts }) => attempts > 0).map((row) => [row]);
  const fresh = oldestFirst.filter(({ attempts }) => attempts === 0);
  const together = Array.from({ length: Math.ceil(fresh.length / batchMax) }, (_, index) =>
    fresh.slice(index * batchMax, (index + 1) * batchMax),
  );
  return [...together, ...retried];
}

function entryOf(batch: ClaimedRow[]): NewEntry {
  const { id, name, tenant_id, environment, due, attempts } = batch[0] as ClaimedRow;
  return {
    name,
    data: { ids: batch.map((row) => row.id), scope: { tenantId: tenant_id, environment } },
    opts: {
      // BullMQ drops an entry whose id it has: a row that waits for long in Redis is there once, however often it is added.
      jobId: `${id}-${due}-${attempts}-${batch.length}`,
      removeOnComplete: true,
      removeOnFail: true,
    },
  };
}

/** The first of each list, then the second of each, and so on. */
function alternate<T>(lists: readonly T[][]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}
