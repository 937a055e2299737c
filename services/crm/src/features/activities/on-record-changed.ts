import { opportunityUpdated } from '@tandem/crm-contract';
import { consumer, type Received } from '@tandem/events';
import type { createIdCodec } from '@tandem/ids';
import type { Tx } from '../../handler.ts';
import { type Entry, entriesOf, type LoggedEvent, loggedEvents } from './entry-of-event.ts';

type Event = LoggedEvent | Received<typeof opportunityUpdated>;

const subjectMax = 200;

/** Writes an entry into the timeline for each event that a reader of it needs, and moves entries between accounts. */
export const logActivities = (ids: ReturnType<typeof createIdCodec>) =>
  consumer({
    name: 'log-activities',
    on: [...loggedEvents, opportunityUpdated],
    async handle(events: Event[], { tx }: { tx: Tx }) {
      const found = events.flatMap((event) => {
        if (event.name === 'opportunity.updated') return [];
        const entries = entriesOf(event, (type, code) => ids.decode(type, event.tenantId, code));
        return entries.map((entry) => ({ event, entry }));
      });
      const links = await readLinks(
        tx,
        found.map(({ entry }) => entry),
      );
      const rows = found.flatMap(({ event, entry }) => rowOf(event, entry, links) ?? []);
      if (rows.length) await tx.activity.createMany({ data: rows });
      await followAccounts(tx, events);
    },
  });

/** The accounts of existing records, by id. */
interface Links {
  leads: Map<number, number | null>;
  opportunities: Map<number, number | null>;
  accounts: Set<number>;
}

async function readLinks(tx: Tx, entries: Entry[]): Promise<Links> {
  const idsOf = (field: 'leadId' | 'opportunityId' | 'accountId') => [
    ...new Set(entries.flatMap((entry) => entry[field] ?? [])),
  ];
  const [leadIds, opportunityIds, accountIds] = [idsOf('leadId'), idsOf('opportunityId'), idsOf('accountId')];
  const select = { id: true, accountId: true } as const;
  const leads = leadIds.length ? await tx.lead.findMany({ where: { id: { in: leadIds } }, select }) : [];
  const deals = opportunityIds.length
    ? await tx.opportunity.findMany({ where: { id: { in: opportunityIds } }, select })
    : [];
  const accounts = accountIds.length
    ? await tx.account.findMany({ where: { id: { in: accountIds } }, select: { id: true } })
    : [];
  return {
    leads: new Map(leads.map(({ id, accountId }) => [id, accountId])),
    opportunities: new Map(deals.map(({ id, accountId }) => [id, accountId])),
    accounts: new Set(accounts.map(({ id }) => id)),
  };
}

/** The row of an entry; undefined if none of its records exists, as for a file with an arbitrary id. */
function rowOf({ caller, occurredAt }: Event, entry: Entry, { leads, opportunities, accounts }: Links) {
  const leadId = entry.leadId && leads.has(entry.leadId) ? entry.leadId : null;
  const opportunityId = entry.opportunityId && opportunities.has(entry.opportunityId) ? entry.opportunityId : null;
  const accountId = entry.accountId && accounts.has(entry.accountId) ? entry.accountId : null;
  if (leadId === null && opportunityId === null && accountId === null) return undefined;
  return {
    type: entry.type,
    kind: entry.kind,
    system: true,
    subject: entry.subject?.slice(0, subjectMax).toWellFormed() ?? null,
    details: { ...entry.details },
    leadId,
    opportunityId,
    accountId,
    taskId: entry.taskId ?? null,
    timelineAccountId:
      accountId ?? (opportunityId && opportunities.get(opportunityId)) ?? (leadId && leads.get(leadId)) ?? null,
    occurredAt: entry.occurredAt ?? occurredAt,
    userId: caller.onBehalfOf ?? caller.userId ?? null,
    updatedAt: new Date(),
  };
}

/** Entries follow their lead or opportunity into the timeline of its new account. Reads the current accounts. */
async function followAccounts(tx: Tx, events: Event[]): Promise<void> {
  const leadIds = events.flatMap((event) =>
    event.name === 'lead.updated' && event.data.changes.accountId !== undefined ? [event.data.leadId] : [],
  );
  const opportunityIds = events.flatMap((event) =>
    event.name === 'opportunity.updated' && event.data.fields.includes('accountId') ? [event.data.opportunityId] : [],
  );
  if (leadIds.length || opportunityIds.length) await placeInAccounts(tx, leadIds, opportunityIds);
}

/** Brings the entries of leads and opportunities into the timelines of their accounts. */
export async function placeInAccounts(tx: Tx, leadIds: number[], opportunityIds: number[] = []): Promise<void> {
  await tx.sql`
    WITH moved AS (
      SELECT activity.id, coalesce(activity.account_id, deal.account_id, lead.account_id) AS account_id
      FROM activity LEFT JOIN lead ON lead.id = activity.lead_id
        LEFT JOIN opportunity AS deal ON deal.id = activity.opportunity_id
      WHERE activity.lead_id = ANY(${leadIds}::bigint[]) OR activity.opportunity_id = ANY(${opportunityIds}::bigint[]))
    UPDATE activity SET timeline_account_id = moved.account_id FROM moved
    WHERE activity.id = moved.id AND activity.timeline_account_id IS DISTINCT FROM moved.account_id`;
}
