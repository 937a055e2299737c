import type { Person, StoredSection } from '@tandem/contract';
import { Activity, CalendarEvent, Lead, LeadScoreChange, Opportunity, Task } from '@tandem/crm-contract';
import { exportSection, type PersonalData } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asActivity } from '../activities/activity.ts';
import { asEvent } from '../calendar-events/event.ts';
import { asLead } from '../leads/lead.ts';
import { asOpportunity } from '../opportunities/opportunity.ts';
import { asTask } from '../tasks/task.ts';
import { eraseCalendarEvents } from './erase-calendar.ts';
import { eraseFileRows } from './erase-files.ts';
import { eraseOpportunities, eraseTextsOfDeals } from './erase-opportunities.ts';
import { eraseTasks } from './erase-tasks.ts';

const causes = LeadScoreChange.pick({ cause: true });

/** The data of a person in crm. The leads themselves are removed by the request of the erasure. */
export const crmData: PersonalData<Tx> = {
  async erase(inside) {
    return {
      tasks: await eraseTasks(inside),
      calendarEvents: await eraseCalendarEvents(inside),
      texts: await eraseTextsOfDeals(inside),
      opportunities: await eraseOpportunities(inside),
      ...(await eraseFileRows(inside)),
    };
  },
  read: readCrmData,
};

async function readCrmData({ tx, person }: { tx: Tx; person: Person }): Promise<StoredSection[]> {
  const where = { leadId: { in: person.leadIds } };
  const newest = { orderBy: { id: 'desc' } } as const;
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
      count: () => tx.calendarEvent.count({ where: attending(person) }),
      find: async (take) =>
        (
          await tx.calendarEvent.findMany({ where: attending(person), ...newest, take, include: { attendees: true } })
        ).map(({ attendees, ...event }) => asEvent(event, attendees)),
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
function attending({ leadIds, emails }: Person) {
  const email = { in: emails, mode: 'insensitive' as const };
  return { OR: [{ leadId: { in: leadIds } }, { attendees: { some: { email } } }] };
}
