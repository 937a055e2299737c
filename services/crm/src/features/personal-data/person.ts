import type { Person } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import type { Tx } from '../../handler.ts';
import type { LeadRecord } from '../leads/lead.ts';
import { asLead } from '../leads/lead.ts';

// Audit log entries of the newest records lose their values; the records themselves are erased whatever their number.
const recordsMax = 10_000;
// A survivor can be merged into another lead, and so on.
const mergesMax = 100;

/** The lead with the leads that were merged into it, as far as they are not purged; the lead first. */
export async function leadsOfPerson(tx: Tx, lead: LeadRecord): Promise<LeadRecord[]> {
  const ids = new Set([lead.id]);
  for (let latest = [lead.id]; latest.length && ids.size < mergesMax; ) {
    const merges = await tx.leadMerge.findMany({
      where: { survivorId: { in: latest }, undoneAt: null },
      select: { mergedIds: true },
    });
    latest = merges.flatMap(({ mergedIds }) => mergedIds).filter((id) => !ids.has(id));
    for (const id of latest) ids.add(id);
  }
  const others = await tx.lead.findMany({ where: { id: { in: [...ids].filter((id) => id !== lead.id) } } });
  return [lead, ...others.map(asLead)];
}

/** By what the data of the person is found in all services. */
export async function personOf(tx: Tx, ids: IdCodec, leads: readonly LeadRecord[]): Promise<Person> {
  const leadIds = leads.map(({ id }) => id);
  const tenantId = leads[0]?.tenantId as number;
  const newest = { where: { leadId: { in: leadIds } }, select: { id: true }, take: recordsMax } as const;
  const tasks = await tx.task.findMany({ ...newest, orderBy: { id: 'desc' } });
  const activities = await tx.activity.findMany({ ...newest, orderBy: { id: 'desc' } });
  const events = await tx.calendarEvent.findMany({ ...newest, orderBy: { id: 'desc' } });
  const deals = await tx.opportunity.findMany({ ...newest, orderBy: { id: 'desc' } });
  const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);
  const distinct = (texts: readonly string[]) => [...new Set(texts.filter((text) => text.trim() !== ''))];
  return {
    leadIds,
    leadCodes: leads.map(({ id, tenantId }) => ids.encode('lead', tenantId, id)),
    emails: distinct(leads.map(({ email }) => email.toLowerCase())),
    names: distinct(leads.map(({ firstName, lastName }) => `${firstName} ${lastName}`.trim())),
    phones: distinct(leads.flatMap(({ phone }) => (phone ? [phone] : []))),
    taskIds: idsOf(tasks),
    activityIds: idsOf(activities),
    calendarEventIds: idsOf(events),
    recordCodes: [
      ...tasks.map(({ id }) => ids.encode('task', tenantId, id)),
      ...activities.map(({ id }) => ids.encode('activity', tenantId, id)),
      ...events.map(({ id }) => ids.encode('calendar_event', tenantId, id)),
    ],
    opportunityIds: idsOf(deals),
  };
}
