import {
  leadCreated,
  leadUpdated,
  opportunityCreated,
  opportunityUpdated,
  taskCreated,
  taskUpdated,
} from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tools, Tx } from '../../handler.ts';
import type { Texts } from '../../letters.ts';
import { actorOf, type EventNotice, noticesOf } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

const events = [taskCreated, taskUpdated, leadCreated, leadUpdated, opportunityCreated, opportunityUpdated] as const;
type WorkEvent = Received<(typeof events)[number]>;

/**
 * Notifies users of leads, opportunities and tasks that somebody else assigned to them. Records of one kind that the same
 * person assigned at about the same time are one notice, and further ones take its place while it is unread: a hand-over
 * of a thousand records leaves one in the inbox.
 */
export const notifyOfWork = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-work',
    on: [...events],
    async handle(received, context: ConsumerContext<Tx>) {
      const assigned = received.flatMap((event) => {
        const work = assignedWork(event);
        return work && work.userId !== actorOf(event) ? [{ event, work }] : [];
      });
      const notices: EventNotice[] = [];
      for (const [, group] of Map.groupBy(assigned, ({ event, work }) => groupOf(event, work))) {
        const [{ event, work }] = group as [(typeof group)[number]];
        // Users who may not read the records are not notified of them.
        const [userId] = await usersWho(context.tx, `${work.resource}:read`, { among: [work.userId] });
        if (userId === undefined) continue;
        notices.push({ event, notice: noticeOf(event, { work, count: group.length, userId }, ids) });
      }
      await noticesOf(context, notices);
    },
  });

function groupOf(event: WorkEvent, { userId, resource }: Work): string {
  return [event.environment, userId, resource, byOf(event) ?? ''].join(' ');
}

/** The person who assigned the work; undefined for the platform, which hands over the work of users who left. */
function byOf({ caller }: WorkEvent): string | undefined {
  return caller.type === 'system' ? undefined : caller.name;
}

function noticeOf(
  event: WorkEvent,
  { work, count, userId }: { work: Work; count: number; userId: number },
  ids: Tools['ids'],
): EventNotice['notice'] {
  const { type, resource, name } = work;
  const id = ids.encode(type, event.tenantId, work.id);
  const words = wordsOf[type];
  const by = byOf(event);
  const isOne = count === 1;
  return {
    userIds: [userId],
    title: isOne ? words.titleOfOne : words.titleOfMany,
    body: {
      en: `${by ?? 'The platform'} assigned ${isOne ? `the ${words.en.one} “${name}”` : `${count} ${words.en.many}, among them “${name}”,`} to you.`,
      de: `${by ?? 'Die Plattform'} hat Ihnen ${isOne ? `${words.de.one} „${name}“` : `${count} ${words.de.many}, darunter „${name}“,`} zugewiesen.`,
    },
    category: 'assignments',
    data: { type, ...(isOne ? { id } : { count }) },
    actions: [
      {
        id: 'open',
        label: { en: 'Open', de: 'Öffnen' },
        type: 'url',
        url: isOne ? `/${resource}/${id}` : `/${resource}`,
        style: 'primary',
      },
    ],
    groupKey: `assigned-${resource}`,
    groupCount: count,
  };
}

interface Work {
  userId: number;
  type: 'lead' | 'opportunity' | 'task';
  resource: 'leads' | 'opportunities' | 'tasks';
  id: number;
  name: string;
}

interface Words {
  titleOfOne: Texts;
  titleOfMany: Texts;
  en: { one: string; many: string };
  de: { one: string; many: string };
}

const wordsOf: Record<Work['type'], Words> = {
  task: {
    titleOfOne: { en: 'A task was assigned to you', de: 'Ihnen wurde eine Aufgabe zugewiesen' },
    titleOfMany: { en: 'Tasks were assigned to you', de: 'Ihnen wurden Aufgaben zugewiesen' },
    en: { one: 'task', many: 'tasks' },
    de: { one: 'die Aufgabe', many: 'Aufgaben' },
  },
  lead: {
    titleOfOne: { en: 'A lead was assigned to you', de: 'Ihnen wurde ein Lead zugewiesen' },
    titleOfMany: { en: 'Leads were assigned to you', de: 'Ihnen wurden Leads zugewiesen' },
    en: { one: 'lead', many: 'leads' },
    de: { one: 'den Lead', many: 'Leads' },
  },
  opportunity: {
    titleOfOne: { en: 'An opportunity was assigned to you', de: 'Ihnen wurde eine Verkaufschance zugewiesen' },
    titleOfMany: { en: 'Opportunities were assigned to you', de: 'Ihnen wurden Verkaufschancen zugewiesen' },
    en: { one: 'opportunity', many: 'opportunities' },
    de: { one: 'die Verkaufschance', many: 'Verkaufschancen' },
  },
};

/** The work that an event assigns; undefined if it assigns none. An update names the assignee only if that changed. */
function assignedWork(event: WorkEvent): Work | undefined {
  switch (event.name) {
    case 'task.created':
    case 'task.updated': {
      const { id, title, assignedTo } = event.record;
      const isAssigned = event.name === 'task.created' || isReassigned(event.data.fields);
      return assigned(isAssigned && assignedTo, { type: 'task', resource: 'tasks', id, name: title });
    }
    case 'opportunity.created':
    case 'opportunity.updated': {
      const { id, name, ownerId } = event.record;
      const isAssigned = event.name === 'opportunity.created' || event.data.fields.includes('ownerId');
      return assigned(isAssigned && ownerId, { type: 'opportunity', resource: 'opportunities', id, name });
    }
    default: {
      const { id, firstName, lastName, assignedTo } = event.record;
      const isAssigned = event.name === 'lead.created' || event.data.changes.assignedTo !== undefined;
      return assigned(isAssigned && assignedTo, {
        type: 'lead',
        resource: 'leads',
        id,
        name: `${firstName} ${lastName}`,
      });
    }
  }
}

/** The user to whom a task is escalated is notified of the escalation. */
function isReassigned(fields: readonly string[]): boolean {
  return fields.includes('assignedTo') && !fields.includes('escalationLevel');
}

function assigned(userId: number | null | undefined | false, work: Omit<Work, 'userId'>): Work | undefined {
  return userId ? { ...work, userId } : undefined;
}
