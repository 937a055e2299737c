import { approvalRequested, scheduleStopped } from '@tandem/agents-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tools, Tx } from '../../handler.ts';
import { timeFor } from '../../letters.ts';
import { actorOf, type EventNotice, noticesOf } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

// More approvals at once are one notice that leads to their list.
const singleMax = 5;

type Requested = Received<typeof approvalRequested>;

/** Notifies the users who decide on approvals of agents: the assignee, if they may decide, or all who may. */
export const notifyOfApprovals = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-approvals',
    on: [approvalRequested],
    async handle(events, context: ConsumerContext<Tx>) {
      // Those that expired before they are sent, as after a long outage, are left out.
      const current = events.filter(({ record }) => record.expiresAt > new Date());
      const notices: EventNotice[] = [];
      for (const [assignee, requested] of Map.groupBy(current, ({ record }) => record.assignee)) {
        const [event] = requested as [Requested];
        const userIds = await decidersOf(context.tx, assignee, actorOf(event));
        if (requested.length > singleMax) notices.push({ event, notice: { ...noticeOfMany(requested), userIds } });
        else for (const one of requested) notices.push({ event: one, notice: { ...noticeOf(one, ids), userIds } });
      }
      await noticesOf(context, notices);
    },
  });

async function decidersOf(tx: Tx, assignee: number | null, except: number | undefined): Promise<number[]> {
  const assigned = assignee === null ? [] : await usersWho(tx, 'agents:manage', { among: [assignee] });
  if (assigned.length) return assigned;
  // The notice names the lead, so it goes to those who can read every lead.
  const readers = new Set(await usersWho(tx, 'leads:read'));
  return (await usersWho(tx, 'agents:manage', { except })).filter((id) => readers.has(id));
}

/** The proposed action as a text of the notice. */
function stepOf({ type, proposedAction: action }: Requested['record']): string {
  if (!action) return type;
  switch (action.type) {
    case 'create_task':
      return action.title;
    case 'change_status':
      return `change_status: ${action.status}`;
    case 'add_tags':
      return `add_tags: ${action.tags.join(', ')}`;
    default:
      return action.type;
  }
}

type Texts = Omit<EventNotice['notice'], 'userIds'>;

function noticeOf({ tenantId, record }: Requested, ids: Tools['ids']): Texts {
  const { rationale, expiresAt, assignee } = record;
  const id = ids.encode('approval', tenantId, record.id);
  const step = stepOf(record);
  const why = rationale === null ? '' : ` ${rationale}.`;
  return {
    title: { en: 'An agent asks for approval', de: 'Ein Agent bittet um Freigabe' },
    body: {
      en: (reader) =>
        `An agent wants to take the step “${step}” for a lead.${why} The request expires on ${timeFor(reader, expiresAt)}.`,
      de: (reader) =>
        `Ein Agent möchte für einen Lead den Schritt „${step}“ ausführen.${why} Die Anfrage läuft am ${timeFor(reader, expiresAt)} ab.`,
    },
    category: 'approvals',
    data: { type: 'approval', id },
    // The buttons act with the permissions of whoever presses them.
    actions: [
      {
        ...{ id: 'approve', type: 'api', style: 'primary', url: `/v1/agents/approvals/${id}/approve`, body: {} },
        label: { en: 'Approve', de: 'Freigeben' },
      },
      {
        ...{ id: 'reject', type: 'api', url: `/v1/agents/approvals/${id}/reject` },
        body: { reason: 'Rejected in the notification' },
        label: { en: 'Reject', de: 'Ablehnen' },
      },
      { id: 'open', label: { en: 'Review', de: 'Prüfen' }, type: 'url', url: `/agents/approvals/${id}` },
    ],
    // Those that nobody in particular should decide take the place of one another: a run can ask for hundreds.
    groupKey: assignee === null ? 'approvals' : `approval-${id}`,
    expiresAt,
  };
}

function noticeOfMany(requested: readonly Requested[]): Texts {
  const count = requested.length;
  const expiresAt = new Date(Math.max(...requested.map(({ record }) => record.expiresAt.getTime())));
  return {
    title: { en: `Agents ask for ${count} approvals`, de: `Agenten bitten um ${count} Freigaben` },
    body: {
      en: (reader) => `Agents want to act for ${count} leads. The requests expire on ${timeFor(reader, expiresAt)}.`,
      de: (reader) =>
        `Agenten möchten für ${count} Leads handeln. Die Anfragen laufen am ${timeFor(reader, expiresAt)} ab.`,
    },
    category: 'approvals',
    data: { type: 'approvals' },
    actions: [
      { id: 'open', label: { en: 'Review', de: 'Prüfen' }, type: 'url', url: '/agents/approvals', style: 'primary' },
    ],
    groupKey: 'approvals',
    groupCount: count,
    expiresAt,
  };
}

/** Notifies those who manage agents, and the user who set it up, when the platform pauses the schedule of an agent. */
export const notifyOfAgentSchedules = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-agent-schedules',
    on: [scheduleStopped],
    async handle(events, context: ConsumerContext<Tx>) {
      const managers = await usersWho(context.tx, 'agents:manage');
      const notices: EventNotice[] = [];
      for (const event of events) {
        const { name, createdBy } = event.record;
        const id = ids.encode('agent_schedule', event.tenantId, event.record.id);
        const creator = createdBy ? await usersWho(context.tx, 'agents:read', { among: [createdBy] }) : [];
        notices.push({
          event,
          notice: {
            userIds: [...new Set([...managers, ...creator])],
            title: { en: 'The schedule of an agent was paused', de: 'Der Zeitplan eines Agenten wurde angehalten' },
            body: {
              en: `The schedule “${name}” starts no runs any more: the user who created it is not active, or may not run the agent.`,
              de: `Der Zeitplan „${name}“ startet keine Läufe mehr: Der Benutzer, der ihn angelegt hat, ist nicht aktiv oder darf den Agenten nicht ausführen.`,
            },
            category: 'agents',
            priority: 'high',
            channels: ['in_app', 'email'],
            data: { type: 'agent_schedule', id },
            actions: [
              {
                id: 'open',
                label: { en: 'Open', de: 'Öffnen' },
                type: 'url',
                url: `/agents/schedules/${id}`,
                style: 'primary',
              },
            ],
            groupKey: `agent-schedule-${id}`,
          },
        });
      }
      await noticesOf(context, notices);
    },
  });
