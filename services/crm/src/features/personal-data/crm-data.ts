import { exportSectionMax, type Person, type StoredSection } from '@tandem/contract';
import { Activity, CalendarEvent, Lead, LeadScoreChange, Opportunity, Task } from '@tandem/crm-contract';
import { exportSection, type PersonalData } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asActivity } from '../activities/activity.ts';
import { asEvent } from '../calendar-events/event.ts';
import { asLead } from '../leads/lead.ts';
import { asOpportunity } from '../opportunities/opportunity.ts';
import { asTask } from '../tasks/task.ts';
import { eraseAttendees, eraseCalendarEvents } from './erase-calendar.ts';
import { erasePreviews, fileSweeps } from './erase-files.ts';
import { eraseOpportunities, eraseTextsOfDeals } from './erase-opportunities.ts';
import { eraseTasks, eraseTextsOfTasks } from './erase-tasks.ts';

const causes = LeadScoreChange.pick({ cause: true });

/** The data of a person in crm. The leads themselves are removed by the request of the erasure. */
export const crmData: PersonalData<Tx> = {
  async erase(inside) {
    return {
      tasks: await eraseTasks(inside),
      calendarEvents: await eraseCalendarEvents(inside),
      texts: (await eraseTextsOfDeals(inside)) + (await eraseTextsOfTasks(inside)),
      opportunities: await eraseOpportunities(inside),
      importPreviews: await erasePreviews(inside),
    };
  },
  sweeps: [eraseAttendees, ...fileSweeps],
  read: readCrmData,
};

async function readCrmData({ tx, person }: { tx: Tx; person: Person }): Promise<StoredSection[]> {
  const where = { leadId: { in: person.leadIds } };
  const newest = { orderBy: { id: 'desc' } } as const;
  const attended = await attending(tx, person);
  const isPerson = ({ email }: { email: string | null }) =>
    email !== null && person.emails.includes(email.toLowerCase());
  return [
    await exportSection('leads', Lead, {
      count: async () => person.leadIds.length,
      find: async () => (await tx.lead.findMany({ where: { id: { in: person.leadIds } } })).map(asLead),
    }),
    await exportSection('opportunities', Opportunity, {
      count: () => tx.opportunity.count({ where }),
      find: async (take) => (await tx.opportunity.findMany({ where, ...newest, take })).map(asOpportunity),
    }),
    await exportSection('tasks', Task, {
      count: () => tx.task.count({ where }),
      find: async (take) => (await tx.task.findMany({ where, ...newest, take })).map(asTask),
    }),
    await exportSection('activities', Activity, {
      count: () => tx.activity.count({ where }),
      find: async (take) => (await tx.activity.findMany({ where, ...newest, take })).map(asActivity),
    }),
    await exportSection('calendarEvents', CalendarEvent, {
      count: () => tx.calendarEvent.count({ where: attended }),
      find: async (take) =>
        (await tx.calendarEvent.findMany({ where: attended, ...newest, take, include: { attendees: true } })).map(
          ({ attendees, ...event }) => asEvent(withoutPrivateTexts(event), attendees.filter(isPerson)),
        ),
    }),
    await exportSection('scoreChanges', LeadScoreChange, {
      count: () => tx.leadScoreChange.count({ where }),
      find: async (take) =>
        (await tx.leadScoreChange.findMany({ where, ...newest, take })).map((row) => ({
          ...row,
          ...causes.parse(row),
        })),
    }),
  ];
}

/** Calendar events of the lead, and events that the person attends. */
async function attending(tx: Tx, { leadIds, emails }: Person) {
  const attended = await tx.sql<{ id: number }>`SELECT event_id AS id FROM calendar_attendee
    WHERE lower(email) = ANY(${emails}::text[]) ORDER BY id DESC LIMIT ${exportSectionMax}::int`;
  return { OR: [{ leadId: { in: leadIds } }, { id: { in: attended.map(({ id }) => id) } }] };
}

function withoutPrivateTexts<Event extends { visibility: string }>(event: Event): Event {
  return event.visibility === 'private' ? { ...event, title: 'Private', description: null, location: null } : event;
}
