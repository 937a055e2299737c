import { engagementRecorded } from '@tandem/analytics-contract';
import type { activityKinds, Consent, systemActivityTypes } from '@tandem/crm-contract';
import {
  consentChannels,
  leadConverted,
  leadCreated,
  leadDeleted,
  leadRestored,
  leadStatusChanged,
  leadUnconverted,
  leadUpdated,
  opportunityCreated,
  opportunityLost,
  opportunityStageChanged,
  opportunityWon,
  taskCompleted,
  taskCreated,
} from '@tandem/crm-contract';
import type { Received } from '@tandem/events';
import { fileDeleted, fileUploaded } from '@tandem/files-contract';
import type { z } from 'zod';
import type { Details } from './activity.ts';

/** The events that become entries of timelines. */
export const loggedEvents = [
  leadCreated,
  leadUpdated,
  leadDeleted,
  leadRestored,
  leadStatusChanged,
  leadConverted,
  leadUnconverted,
  opportunityCreated,
  opportunityStageChanged,
  opportunityWon,
  opportunityLost,
  taskCreated,
  taskCompleted,
  fileUploaded,
  fileDeleted,
  engagementRecorded,
] as const;

type One<Def extends (typeof loggedEvents)[number]> = Received<Def>;
/** One of the events that become entries. */
export type LoggedEvent = Received<(typeof loggedEvents)[number]>;

/** The entries that an event adds to timelines. */
export interface Entry {
  type: (typeof systemActivityTypes)[number];
  kind: (typeof activityKinds)[number];
  subject?: string | null;
  details?: Details;
  leadId?: number | null;
  opportunityId?: number | null;
  accountId?: number | null;
  taskId?: number;
  occurredAt?: Date;
}

/** Decodes the public id of a record that a file names. */
export type DecodeId = (type: 'lead' | 'opportunity' | 'account', code: string) => number | undefined;

const entries: { [Name in LoggedEvent['name']]: (event: never, decode: DecodeId) => Entry[] } = {
  'lead.created': ({ data }: One<typeof leadCreated>) => [
    { type: 'lead', kind: 'lead_created', leadId: data.leadId, details: { source: data.source } },
  ],
  'lead.updated': ({ data, changes = {} }: One<typeof leadUpdated>) => {
    const { leadId, changes: to } = data;
    const from = (field: string) => changes[field]?.from as string | number | null | undefined;
    const idFrom = (field: string) => (from(field) ? Number(from(field)) : null);
    return [
      ...(to.assignedTo === undefined
        ? []
        : [
            {
              type: 'assignment' as const,
              kind: 'lead_assigned' as const,
              leadId,
              details: { fromUserId: idFrom('assignedTo'), toUserId: to.assignedTo },
            },
          ]),
      ...(to.score === undefined || isOfAllLeads(data.scoreCause)
        ? []
        : [
            {
              type: 'score' as const,
              kind: 'lead_score_changed' as const,
              leadId,
              details: { from: from('score') ?? null, to: to.score },
            },
          ]),
      ...(to.consent === undefined
        ? []
        : consentEntries(leadId, changes['consent']?.from as Wire | undefined, to.consent)),
    ];
  },
  // A merge is a fact about the lead that remains; the others are deleted by it.
  'lead.deleted': ({ data: { leadId, mergedIntoId } }: One<typeof leadDeleted>) =>
    mergedIntoId ? [mergeOf(mergedIntoId, 'lead_merged', leadId)] : [],
  'lead.restored': ({ data: { leadId, unmergedFromId } }: One<typeof leadRestored>) =>
    unmergedFromId ? [mergeOf(unmergedFromId, 'lead_merge_undone', leadId)] : [],
  // Two statuses of a category have different codes.
  'lead.status_changed': ({ data: { leadId, from, to, fromCode, toCode, reason } }: One<typeof leadStatusChanged>) => [
    {
      type: 'status',
      kind: 'lead_status_changed',
      leadId,
      details: { from: fromCode ?? from, to: toCode ?? to, reason },
    },
  ],
  'lead.converted': ({ data: { leadId, opportunityId } }: One<typeof leadConverted>) => [
    { type: 'lead', kind: 'lead_converted', leadId, opportunityId },
  ],
  'lead.unconverted': ({ data: { leadId, opportunityId, reason } }: One<typeof leadUnconverted>) => [
    { type: 'lead', kind: 'lead_unconverted', leadId, opportunityId, details: { reason } },
  ],
  'opportunity.created': ({ record }: One<typeof opportunityCreated>) => [
    { ...dealOf(record, 'opportunity_created'), details: { amount: record.value, currency: record.currency } },
  ],
  // Winning and losing have entries of their own.
  'opportunity.stage_changed': ({ data, record }: One<typeof opportunityStageChanged>) =>
    record.status === 'open'
      ? [{ ...dealOf(record, 'opportunity_stage_changed'), details: { from: data.from, to: data.to } }]
      : [],
  'opportunity.won': ({ record }: One<typeof opportunityWon>) => [
    { ...dealOf(record, 'opportunity_won'), details: { amount: record.value, currency: record.currency } },
  ],
  'opportunity.lost': ({ data, record }: One<typeof opportunityLost>) => [
    { ...dealOf(record, 'opportunity_lost'), details: { reason: data.reason } },
  ],
  'task.created': ({ record }: One<typeof taskCreated>) => [taskOf(record, 'task_created')],
  'task.completed': ({ record }: One<typeof taskCompleted>) => [taskOf(record, 'task_completed')],
  'file.uploaded': ({ record }: One<typeof fileUploaded>, decode) => fileOf(record, 'file_uploaded', decode),
  'file.deleted': ({ record }: One<typeof fileDeleted>, decode) => fileOf(record, 'file_deleted', decode),
  'engagement.recorded': ({ record }: One<typeof engagementRecorded>) => {
    const known = messages[record.type];
    // Scanners open mail and follow links too.
    if (!known || record.automated) return [];
    const { subject } = record.properties;
    return [
      {
        ...known,
        leadId: record.leadId,
        subject: typeof subject === 'string' ? subject : null,
        details: { source: record.messageId },
        occurredAt: record.timestamp,
      },
    ];
  },
};

type Wire = z.input<typeof Consent>;

/** An entry for each channel whose state changed. A later time or another source of the same decision is no change. */
function consentEntries(leadId: number, before: Wire = {}, after: z.output<typeof Consent>): Entry[] {
  return consentChannels.flatMap((channel) => {
    const [from, to] = [before[channel]?.state ?? null, after[channel]?.state ?? null];
    if (from === to) return [];
    return [{ type: 'consent', kind: 'lead_consent_changed', leadId, details: { channel, from, to } }];
  });
}

function mergeOf(leadId: number, kind: 'lead_merged' | 'lead_merge_undone', mergedLeadId: number): Entry {
  return { type: 'lead', kind, leadId, details: { mergedLeadId } };
}

/** Whether a score changed in a run over all leads: an entry of each run would fill timelines with what nobody did. */
function isOfAllLeads(cause: One<typeof leadUpdated>['data']['scoreCause']): boolean {
  return cause === 'decay' || cause === 'rules_changed';
}

const messages: { [Type in One<typeof engagementRecorded>['record']['type']]?: Pick<Entry, 'type' | 'kind'> } = {
  email_sent: { type: 'message', kind: 'email_sent' },
  sms_sent: { type: 'message', kind: 'sms_sent' },
  email_open: { type: 'message', kind: 'email_opened' },
  link_click: { type: 'message', kind: 'link_clicked' },
  email_reply: { type: 'message', kind: 'email_replied' },
  email_bounce: { type: 'message', kind: 'email_bounced' },
  email_complaint: { type: 'message', kind: 'email_complained' },
  form_submission: { type: 'form', kind: 'form_submitted' },
};

/** The entries that an event adds to timelines; most updates of leads add none. */
export function entriesOf(event: LoggedEvent, decode: DecodeId): Entry[] {
  return entries[event.name](event as never, decode);
}

interface Deal {
  id: number;
  name: string;
  leadId: number | null;
}

function dealOf({ id, name, leadId }: Deal, kind: Entry['kind']): Entry {
  return { type: 'deal', kind, opportunityId: id, leadId, subject: name };
}

interface AboutTask {
  id: number;
  title: string;
  leadId: number | null;
  opportunityId: number | null;
}

function taskOf({ id, title, leadId, opportunityId }: AboutTask, kind: Entry['kind']): Entry {
  return { type: 'task', kind, taskId: id, leadId, opportunityId, subject: title };
}

const linkOfType = { lead: 'leadId', opportunity: 'opportunityId', account: 'accountId' } as const;

/** A file names its record by the public id, which nobody has checked. */
function fileOf(
  { id, filename, entityType, entityId }: One<typeof fileUploaded>['record'],
  kind: Entry['kind'],
  decode: DecodeId,
): Entry[] {
  if (!entityId || !isLinkType(entityType)) return [];
  const recordId = decode(entityType, entityId);
  if (recordId === undefined) return [];
  return [{ type: 'file', kind, [linkOfType[entityType]]: recordId, subject: filename, details: { fileId: id } }];
}

function isLinkType(type: string | null): type is keyof typeof linkOfType {
  return type !== null && type in linkOfType;
}
