import type { Caller } from '@tandem/caller';
import { type Listable, type Reach, reachOf } from '@tandem/service';
import { exactMax, type Fragment, fragment, type PageArgs } from '@tandem/tenant-db';
import type { Activity as ActivityRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

/** An entry as a timeline reads it. */
type Entry = Omit<ActivityRow, 'timelineAccountId'>;

/** The entries of a timeline. */
interface Timeline {
  /** The column that has the id of the record. */
  of: Fragment;
  id: number;
  types: readonly string[] | undefined;
  caller: Caller;
  reach: TimelineReach;
}

/** Which leads, opportunities and tasks the entries of a timeline may be about. */
interface TimelineReach {
  leads: Reach;
  opportunities: Reach;
  tasks: Reach;
}

/** The reach of a caller in timelines. Entries about records that they cannot read are left out. */
export function timelineReach(caller: Caller): TimelineReach {
  return {
    leads: reachOf(caller, 'leads:read'),
    opportunities: reachOf(caller, 'opportunities:read'),
    tasks: reachOf(caller, 'tasks:read'),
  };
}

// A larger total of a timeline is of no use.
const estimatedMax = 100_000;
const columns = fragment`activity.tenant_id AS "tenantId", activity.environment, activity.id, type, kind, system, subject,
  body, details, lead_id AS "leadId", opportunity_id AS "opportunityId", partner_id AS "partnerId",
  account_id AS "accountId", task_id AS "taskId", occurred_at AS "occurredAt", duration_seconds AS "durationSeconds",
  direction, outcome, user_id AS "userId", version, created_at AS "createdAt", updated_at AS "updatedAt"`;

/**
 * The entries of a timeline, as a list reads a model. Read by SQL, because the model limits a narrowed caller to what they
 * logged themselves, while whoever can read a lead can read its timeline.
 */
export function timelineEntries(tx: Tx, timeline: Timeline): Listable<Entry> {
  const { of, id, caller, reach } = timeline;
  const types = timeline.types ?? null;
  const hidden = hiddenTypes(caller);
  const [leads, deals, tasks] = [reach.leads, reach.opportunities, reach.tasks].map(limitsOf) as [
    Limits,
    Limits,
    Limits,
  ];
  const counted = async (max: number): Promise<number> => {
    const [row] = await tx.sql<{ count: number }>`
      SELECT count(*) AS count FROM (SELECT 1 FROM activity WHERE ${of} = ${id}
        AND (${types}::text[] IS NULL OR type = ANY(${types}::text[])) AND type <> ALL(${hidden}::text[])
        AND (${leads.isAll} OR lead_id IS NULL OR EXISTS (SELECT 1 FROM lead WHERE lead.id = lead_id AND
          (assigned_to = ${leads.userId} OR lead.created_by = ${leads.userId} OR team_id = ANY(${leads.teamIds}::bigint[]))))
        AND (${deals.isAll} OR opportunity_id IS NULL OR EXISTS (SELECT 1 FROM opportunity AS deal
          WHERE deal.id = opportunity_id AND
          (owner_id = ${deals.userId} OR deal.created_by = ${deals.userId} OR team_id = ANY(${deals.teamIds}::bigint[]))))
        AND (${tasks.isAll} OR task_id IS NULL OR EXISTS (SELECT 1 FROM task WHERE task.id = task_id AND
          (assigned_to = ${tasks.userId} OR task.created_by = ${tasks.userId} OR team_id = ANY(${tasks.teamIds}::bigint[]))))
        LIMIT ${max}) AS counted`;
    return row?.count ?? 0;
  };
  const countPage = async () => {
    const count = await counted(exactMax + 1);
    return count > exactMax ? undefined : count;
  };
  return {
    async findPage(args) {
      const { at, afterId } = startOf(args);
      const [isBehind, order] = args.isDescending
        ? [fragment`<`, fragment`occurred_at DESC, id DESC`]
        : [fragment`>`, fragment`occurred_at, id`];
      const rows = await tx.sql<Entry>`SELECT ${columns} FROM activity WHERE ${of} = ${id}
        AND (occurred_at, id) ${isBehind} (${at}::timestamptz, ${afterId}::bigint)
        AND (${types}::text[] IS NULL OR type = ANY(${types}::text[])) AND type <> ALL(${hidden}::text[])
        AND (${leads.isAll} OR lead_id IS NULL OR EXISTS (SELECT 1 FROM lead WHERE lead.id = lead_id AND
          (assigned_to = ${leads.userId} OR lead.created_by = ${leads.userId} OR team_id = ANY(${leads.teamIds}::bigint[]))))
        AND (${deals.isAll} OR opportunity_id IS NULL OR EXISTS (SELECT 1 FROM opportunity AS deal
          WHERE deal.id = opportunity_id AND
          (owner_id = ${deals.userId} OR deal.created_by = ${deals.userId} OR team_id = ANY(${deals.teamIds}::bigint[]))))
        AND (${tasks.isAll} OR task_id IS NULL OR EXISTS (SELECT 1 FROM task WHERE task.id = task_id AND
          (assigned_to = ${tasks.userId} OR task.created_by = ${tasks.userId} OR team_id = ANY(${tasks.teamIds}::bigint[]))))
        ORDER BY ${order} LIMIT ${args.take} OFFSET ${args.skip}`;
      if (args.isUncounted || args.isKnownLarge) return { rows, total: undefined, isLarge: true };
      const total = await countPage();
      return { rows, total, isLarge: total === undefined };
    },
    countPage,
    count: () => counted(estimatedMax),
  };
}

/** Types of entries about resources that the caller may not read at all. */
function hiddenTypes(caller: Caller): string[] {
  const resources = { task: 'tasks:read', file: 'files:read' };
  return Object.entries(resources).flatMap(([type, permission]) =>
    reachOf(caller, permission) === 'none' ? [type] : [],
  );
}

interface Limits {
  isAll: boolean;
  userId: number | null;
  teamIds: number[];
}

function limitsOf(reach: Reach): Limits {
  if (reach === 'all' || reach === 'none') return { isAll: reach === 'all', userId: null, teamIds: [] };
  return { isAll: false, userId: reach.userId, teamIds: [...(reach.teamIds ?? [])] };
}

/** Where the page begins: after the cursor, or at the end of time. */
function startOf({ after, isDescending }: PageArgs): { at: string; afterId: number } {
  const [alike] = after ?? [];
  if (!alike) return { at: isDescending ? 'infinity' : '-infinity', afterId: 0 };
  const { occurredAt, id } = alike as { occurredAt: Date; id: { lt?: number; gt?: number } };
  return { at: occurredAt.toISOString(), afterId: id.lt ?? id.gt ?? 0 };
}
