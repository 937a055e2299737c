import { id } from '@tandem/contract';
import { leadDeleted, leadRestored } from '@tandem/crm-contract';
import { type Consumer, type ConsumerContext, consumer, type Received } from '@tandem/events';
import { type Inside, type Job, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import { lockPlaces, type MergeChange, storeMerges, type WithSql } from './merged-leads.ts';
import { moveRows, type RowsOfLeads } from './move-rows.ts';

/** Job that brings the rows of leads, and of those merged into them, to the lead to which they belong now. */
const moveRowsJob = {
  name: 'move-rows-of-merged-leads',
  payload: z.object({ tenantId: id('tenant'), leadIds: z.array(id('lead')) }),
};

// Longer than a transaction takes: one that began before the merge was known here can still write rows of a merged lead.
const lateMs = 30_000;

/**
 * Consumer and job of a service whose rows belong to leads: when leads are merged, their rows go to the lead that remains,
 * and when the merge is undone, exactly these rows go back. The service has a model `MergedLead`, its tables a column for
 * the lead for which a moved row was stored and the trigger `platform.follow_merged_lead`, which places new rows.
 * @param tables the tables whose rows move
 * @param settled runs after the rows of leads were moved, with the leads that remain
 */
export function followLeadMerges<Tx extends WithSql>(
  tables: readonly RowsOfLeads<Inside<Tx>>[],
  settled?: (inside: Inside<Tx>, leadIds: number[]) => Promise<unknown>,
) {
  const followed = consumer({
    name: 'follow-lead-merges',
    on: [leadDeleted, leadRestored],
    async handle(events, { tx, schedule }: ConsumerContext<Tx>) {
      const changes = events.flatMap(changeOf);
      const tenantId = events[0]?.tenantId;
      if (!changes.length || tenantId === undefined) return;
      await storeMerges(tx, changes);
      // Also those that stay: a row that was held back by another one can take its place.
      const leadIds = [...new Set(changes.flatMap(({ leadId, other }) => [leadId, other]))];
      const payloads = [{ tenantId, leadIds }];
      await schedule(moveRowsJob, payloads);
      await schedule(moveRowsJob, payloads, new Date(Date.now() + lateMs));
    },
  });
  const moving = job({
    ...moveRowsJob,
    async run({ payload, finish }: JobContext<z.output<typeof moveRowsJob.payload>, Tx>) {
      await finish(async (inside) => {
        const places = await lockPlaces(inside.tx, payload.leadIds);
        for (const one of tables) await one.before?.(inside, places);
        const waits: number[] = [];
        for (const one of tables) {
          const waitMs = await moveRows(inside, one, { tenantId: payload.tenantId, places });
          if (waitMs !== undefined) waits.push(waitMs);
        }
        await settled?.(inside, [...new Set(places.map(({ current }) => current))]);
        return waits.length ? new Date(Date.now() + Math.min(...waits)) : undefined;
      });
    },
  });
  return {
    consumers: [followed] as unknown as Consumer<never, Tx>[],
    jobs: [moving] as unknown as Job<never, Tx>[],
  };
}

type Change = MergeChange & { other: number };

/** The merge of a lead, or its undoing; nothing for leads that were deleted or restored without one. */
function changeOf(event: Received<typeof leadDeleted | typeof leadRestored>): Change[] {
  const isMerge = event.name === 'lead.deleted';
  const other = isMerge ? event.data.mergedIntoId : event.data.unmergedFromId;
  if (!other) return [];
  const { leadId } = event.data;
  return [{ leadId, mergedIntoId: isMerge ? other : null, other, version: event.record.version, at: event.occurredAt }];
}
