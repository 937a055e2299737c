import { opportunityUpdated, taskUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { fail } from '@tandem/service';
import { type Fragment, fragment } from '@tandem/tenant-db';
import type { Opportunity, Task } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { placeInAccounts } from '../activities/on-record-changed.ts';
import { asOpportunity } from '../opportunities/opportunity.ts';
import { asTask } from '../tasks/task.ts';

/** Each moved record gets an event, so that one merge moves at most this many. */
const movedMax = 1_000;

interface Moved {
  id: number;
  from: number;
  to: number;
}

/** A kind of record that belongs to a lead. */
interface Kind {
  /** The records of leads, locked. Includes those that the caller cannot access: they belong to the person. */
  find(tx: Tx, leadIds: number[], max: number): Promise<{ id: number; leadId: number }[]>;
  move(tx: Tx, moved: Moved[]): Promise<object[]>;
  announce(emit: Emit, row: object, change: object): void;
}

const kinds = {
  tasks: {
    find: (tx, leadIds, max) => tx.sql`SELECT id, lead_id AS "leadId" FROM task
      WHERE lead_id = ANY(${leadIds}::bigint[]) ORDER BY id LIMIT ${max} FOR NO KEY UPDATE`,
    move: (tx, moved) => tx.sql`UPDATE task SET lead_id = row.to, version = version + 1, updated_at = now()
      FROM jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) AS row (id bigint, "from" bigint, "to" bigint)
      WHERE task.id = row.id AND task.lead_id = row.from RETURNING task.*`,
    announce(emit, row, changes) {
      const record = asTask(row as Task);
      emit(taskUpdated, { data: { taskId: record.id, fields: ['leadId'] }, record, changes: { ...changes } });
    },
  },
  opportunities: {
    find: (tx, leadIds, max) => tx.sql`SELECT id, lead_id AS "leadId" FROM opportunity
      WHERE lead_id = ANY(${leadIds}::bigint[]) ORDER BY id LIMIT ${max} FOR NO KEY UPDATE`,
    move: (tx, moved) => tx.sql`UPDATE opportunity SET lead_id = row.to, version = version + 1, updated_at = now()
      FROM jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) AS row (id bigint, "from" bigint, "to" bigint)
      WHERE opportunity.id = row.id AND opportunity.lead_id = row.from RETURNING opportunity.*`,
    announce(emit, row, changes) {
      const record = asOpportunity(row as Opportunity);
      const data = { opportunityId: record.id, fields: ['leadId'] };
      emit(opportunityUpdated, { data, record, changes: { ...changes } });
    },
  },
} as const satisfies Record<string, Kind>;

type KindName = keyof typeof kinds;
const kindNames = Object.keys(kinds) as KindName[];

/** Records without an event when they move: there can be thousands, and nothing else stores their lead. */
const silentTables = {
  activities: fragment`activity`,
  calendar_events: fragment`calendar_event`,
} as const satisfies Record<string, Fragment>;

/** The records of leads, by kind. */
export type Found = Record<KindName, { id: number; leadId: number }[]>;

/** Locks the records of the leads that a merge removes. */
export async function lockRecordsOf(tx: Tx, leadIds: number[]): Promise<Found> {
  const found: Partial<Found> = {};
  for (const name of kindNames) found[name] = await kinds[name].find(tx, leadIds, movedMax + 1);
  const total = kindNames.reduce((sum, name) => sum + (found[name]?.length ?? 0), 0);
  if (total > movedMax) {
    const message = `The leads have more than ${movedMax} tasks and opportunities; merge fewer at once`;
    throw fail('too_many_related', [{ field: 'mergeIds', message }]);
  }
  return found as Found;
}

/** Gives the records to the survivor, each with its event, and stores where they came from. */
export async function moveRecords({ tx, emit }: { tx: Tx; emit: Emit }, found: Found, merge: MergeIds): Promise<void> {
  const { mergeId, survivorId, mergedIds } = merge;
  for (const kind of kindNames) {
    const moved = found[kind].map(({ id, leadId }) => ({ id, from: leadId, to: survivorId }));
    await move({ tx, emit }, kind, moved);
    const data = moved.map(({ id, from }) => ({ mergeId, kind, recordId: id, fromLeadId: from }));
    if (data.length) await tx.leadMergeMove.createMany({ data });
  }
  for (const [kind, table] of Object.entries(silentTables)) {
    await tx.sql`INSERT INTO lead_merge_move (merge_id, kind, record_id, from_lead_id)
      SELECT ${mergeId}, ${kind}, id, lead_id FROM ${table} WHERE lead_id = ANY(${mergedIds}::bigint[])`;
    await tx.sql`UPDATE ${table} SET lead_id = ${survivorId}, version = version + 1
      WHERE lead_id = ANY(${mergedIds}::bigint[])`;
  }
  await placeInAccounts(tx, [survivorId]);
  await addEngagement(tx, merge);
}

/** The number of activities that a merge moves. */
export async function countActivities(tx: Tx, leadIds: number[]): Promise<number> {
  const [row] = await tx.sql<{ n: number }>`
    SELECT count(*)::int AS n FROM activity WHERE lead_id = ANY(${leadIds}::bigint[])`;
  return row?.n ?? 0;
}

/** Gives records back that a merge moved. Those that belong to another lead by now stay there. */
export async function moveRecordsBack({ tx, emit }: { tx: Tx; emit: Emit }, merge: MergeIds): Promise<void> {
  const { mergeId, survivorId, mergedIds } = merge;
  const stored = await tx.leadMergeMove.findMany({ where: { mergeId }, orderBy: { recordId: 'asc' } });
  for (const kind of kindNames) {
    const ofKind = stored.filter((one) => one.kind === kind);
    const moved = ofKind.map(({ recordId, fromLeadId }) => ({ id: recordId, from: survivorId, to: fromLeadId }));
    await move({ tx, emit }, kind, moved);
  }
  for (const [kind, table] of Object.entries(silentTables)) {
    await tx.sql`UPDATE ${table} AS record SET lead_id = moved.from_lead_id, version = record.version + 1
      FROM lead_merge_move AS moved WHERE moved.merge_id = ${mergeId} AND moved.kind = ${kind}
        AND record.id = moved.record_id AND record.lead_id = ${survivorId}`;
  }
  await placeInAccounts(tx, mergedIds);
  await removeEngagement(tx, merge);
}

/** The engagement of the merged leads counts for the survivor too. Their own counts stay, to be subtracted by an undo. */
async function addEngagement(tx: Tx, { survivorId, mergedIds }: MergeIds): Promise<void> {
  await tx.sql`INSERT INTO lead_engagement (lead_id, type, day, count)
    SELECT ${survivorId}, type, day, sum(count) FROM lead_engagement
    WHERE lead_id = ANY(${mergedIds}::bigint[]) GROUP BY type, day ORDER BY type, day
    ON CONFLICT (tenant_id, environment, lead_id, type, day) DO UPDATE
      SET count = lead_engagement.count + excluded.count`;
}

async function removeEngagement(tx: Tx, { survivorId, mergedIds }: MergeIds): Promise<void> {
  const merged = JSON.stringify(
    await tx.sql`SELECT type, day::text AS day, sum(count)::int AS count FROM lead_engagement
      WHERE lead_id = ANY(${mergedIds}::bigint[]) GROUP BY type, day ORDER BY type, day`,
  );
  await tx.sql`DELETE FROM lead_engagement AS counted
    USING jsonb_to_recordset(${merged}::jsonb) AS merged (type text, day date, count int)
    WHERE counted.lead_id = ${survivorId} AND counted.type = merged.type AND counted.day = merged.day
      AND counted.count <= merged.count`;
  await tx.sql`UPDATE lead_engagement AS counted SET count = counted.count - merged.count
    FROM jsonb_to_recordset(${merged}::jsonb) AS merged (type text, day date, count int)
    WHERE counted.lead_id = ${survivorId} AND counted.type = merged.type AND counted.day = merged.day`;
}

interface MergeIds {
  mergeId: number;
  survivorId: number;
  mergedIds: number[];
}

async function move({ tx, emit }: { tx: Tx; emit: Emit }, kind: KindName, moved: Moved[]): Promise<void> {
  if (!moved.length) return;
  const rows = await kinds[kind].move(tx, moved);
  const byId = new Map(moved.map((one) => [one.id, one]));
  for (const row of rows.map(inCamelCase)) {
    const { from, to } = byId.get(row['id'] as number) as Moved;
    kinds[kind].announce(emit, row, { leadId: { from, to } });
  }
}

/** A row of SQL with the names of the model. */
function inCamelCase(row: object): Record<string, unknown> {
  const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [camel(name), value]));
}
