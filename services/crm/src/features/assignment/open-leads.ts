import type { Tx } from '../../handler.ts';
import type { LeadRecord } from '../leads/lead.ts';

/** The open leads of users in a transaction that holds the lock of the assignment. */
export type OpenLeads = ReturnType<typeof openLeads>;

/**
 * Counts the open leads of each user once, and adds the assignments of the transaction itself: users can have a hundred
 * thousand leads, and all assignments of the tenant wait meanwhile. Counts all leads of the tenant, whatever the caller may
 * read.
 */
export function openLeads(tx: Tx) {
  const counts = new Map<number, number>();
  return {
    /** The numbers of open leads by user, without this lead. */
    async of(userIds: readonly number[], lead: LeadRecord): Promise<(userId: number) => number> {
      const unknown = userIds.filter((userId) => !counts.has(userId));
      if (unknown.length) {
        // The condition of the index lead_open_assigned, which has no other rows.
        const rows = await tx.sql<{ userId: number; leads: number }>`
          SELECT assigned_to AS "userId", count(*)::int AS leads FROM lead
          WHERE assigned_to = ANY(${unknown}::bigint[]) AND deleted_at IS NULL AND converted_at IS NULL
            AND status <> 'unqualified'
          GROUP BY assigned_to`;
        for (const userId of unknown) counts.set(userId, 0);
        for (const { userId, leads } of rows) counts.set(userId, leads);
      }
      const own = isOpen(lead) ? lead.assignedTo : null;
      return (userId) => (counts.get(userId) ?? 0) - (userId === own ? 1 : 0);
    },
    /** Counts an assignment of the lead. */
    assigned(lead: LeadRecord, userId: number): void {
      if (!isOpen(lead)) return;
      const add = (id: number | null, by: number) => {
        const count = id === null ? undefined : counts.get(id);
        if (id !== null && count !== undefined) counts.set(id, count + by);
      };
      add(lead.assignedTo, -1);
      add(userId, 1);
    },
  };
}

function isOpen({ status, convertedAt }: LeadRecord): boolean {
  return status !== 'unqualified' && convertedAt === null;
}
