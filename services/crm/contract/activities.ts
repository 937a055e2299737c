import { event, flag, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { consentChannels } from './consent.ts';

export const activityTypes = ['call', 'email', 'meeting', 'note', 'other'] as const;
/** Types of entries that only the system writes. */
export const systemActivityTypes = [
  'lead',
  'status',
  'assignment',
  'score',
  'deal',
  'task',
  'message',
  'form',
  'file',
  'consent',
] as const;
export const activityKinds = [
  'lead_created',
  'lead_converted',
  'lead_unconverted',
  'lead_status_changed',
  'lead_assigned',
  'lead_score_changed',
  'lead_consent_changed',
  'lead_merged',
  'lead_merge_undone',
  'opportunity_created',
  'opportunity_stage_changed',
  'opportunity_won',
  'opportunity_lost',
  'task_created',
  'task_completed',
  'file_uploaded',
  'file_deleted',
  'email_sent',
  'sms_sent',
  'email_opened',
  'link_clicked',
  'email_replied',
  'email_bounced',
  'email_complained',
  'form_submitted',
] as const;
export const activityDirections = ['inbound', 'outbound'] as const;

export const LoggedActivityType = z.enum(activityTypes).describe('The type of the activity');
export const ActivityType = z
  .enum([...activityTypes, ...systemActivityTypes])
  .describe('The type of the activity; `lead` and the following types are entries of the system');
export const ActivityKind = z.enum(activityKinds).describe('What happened, for an entry of the system');
export const ActivityDirection = z
  .enum(activityDirections)
  .describe('Whether the customer contacted you (`inbound`), or you the customer (`outbound`)');
const Subject = name(200).meta({ description: 'The subject', examples: ['Call about the second machine'] });
const Body = text(20_000).meta({ description: 'Notes', examples: ['Wants an offer until Friday'] });
const Duration = z
  .int('Must be a whole number')
  .min(0, 'Must be at least 0')
  .max(604_800, 'Must be at most 604800')
  .meta({ description: 'The duration in seconds', examples: [900] });
const ActivityOutcome = name(100).meta({ description: 'The outcome', examples: ['reached'] });
const value = (description: string, example: string | number | null) =>
  z
    .union([text(200), z.number()])
    .nullable()
    .meta({ description, examples: [example] })
    .optional();

/** The facts of an entry of the system; which of them it has depends on `kind`. */
export const ActivityDetails = z.object({
  from: value('The value before the change', 'new'),
  to: value('The value after the change', 'contacted'),
  fromUserId: id('user').nullish().describe('The assignee before the change'),
  toUserId: id('user').nullish().describe('The assignee after the change'),
  fileId: id('file').optional().describe('The file'),
  mergedLeadId: id('lead').optional().describe('The lead that was merged into this one'),
  channel: z
    .enum(consentChannels)
    .describe('The channel whose consent changed; `from` and `to` are null if nothing was known about it')
    .optional(),
  amount: z
    .number()
    .meta({ description: 'The value of the deal', examples: [4800] })
    .optional(),
  currency: text(3)
    .meta({ description: 'The currency of the value', examples: ['EUR'] })
    .optional(),
  reason: text(500)
    .nullish()
    .meta({ description: 'The reason of the change', examples: ['price'] }),
  source: text(64)
    .nullish()
    .meta({ description: 'The source of the lead, or the id of the message', examples: ['web'] }),
});

export const Activity = z.object({
  id: id('activity'),
  tenantId: id('tenant'),
  type: ActivityType.meta({ examples: ['call'] }),
  system: z
    .boolean()
    .meta({ description: 'Whether the system logged the entry, which is read-only then', examples: [false] }),
  kind: ActivityKind.nullable().meta({
    description: 'What happened; null for an activity that a person logged',
    examples: [null],
  }),
  subject: Subject.nullable(),
  body: Body.nullable(),
  details: ActivityDetails.meta({ description: 'The facts of an entry of the system', examples: [{}] }),
  occurredAt: timestamp().meta({ description: 'When it happened', examples: ['2026-03-02T09:30:00.000Z'] }),
  durationSeconds: Duration.nullable(),
  direction: ActivityDirection.nullable().meta({ examples: ['outbound'] }),
  outcome: ActivityOutcome.nullable(),
  userId: id('user').nullable().describe('The user who logged the activity, or caused the entry of the system'),
  leadId: id('lead').nullable().describe('The lead that the activity is about'),
  opportunityId: id('opportunity').nullable().describe('The opportunity that the activity is about'),
  accountId: id('account').nullable().describe('The account that the activity is about'),
  partnerId: id('partner').nullable().describe('The partner that the activity is about'),
  taskId: id('task').nullable().describe('The task that the entry is about'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const writable = z.object({
  type: LoggedActivityType.meta({ examples: ['call'] }),
  subject: Subject.nullish(),
  body: Body.nullish(),
  leadId: id('lead').nullish(),
  opportunityId: id('opportunity').nullish(),
  accountId: id('account').nullish(),
  partnerId: id('partner').nullish(),
  occurredAt: timestamp().optional(),
  durationSeconds: Duration.nullish(),
  direction: ActivityDirection.nullish(),
  outcome: ActivityOutcome.nullish(),
});

const links = [
  { permission: 'leads:read', for: 'leadId' },
  { permission: 'opportunities:read', for: 'opportunityId' },
  { permission: 'accounts:read', for: 'accountId' },
  { permission: 'partners:read', for: 'partnerId' },
] as const;
const withId = z.object({ id: id('activity') });
const subject = { target: 'activity', record: Activity } as const;

export const activityLogged = event('activity.logged', {
  ...subject,
  description: 'A person logs an activity',
  action: 'activity.log',
  data: z.object({ activityId: id('activity'), type: LoggedActivityType, leadId: id('lead').nullable() }),
});

export const activityUpdated = event('activity.updated', {
  ...subject,
  description: 'An activity is modified',
  action: 'activity.update',
  data: z.object({ activityId: id('activity'), fields: z.array(z.string()) }),
});

export const activityDeleted = event('activity.deleted', {
  ...subject,
  description: 'An activity is removed',
  action: 'activity.delete',
  data: z.object({ activityId: id('activity') }),
});

const systemEntry = {
  system_entry: [409, 'The system logged this entry, so it cannot be changed; log an activity of your own'],
} as const;

export const activities = operations({
  createActivity: {
    method: 'POST',
    path: '/v1/activities',
    permission: 'activities:write',
    also: links,
    narrows: true,
    summary: 'Log an activity',
    description:
      'A call, an e-mail, a meeting or a note about a lead, an opportunity, an account or a partner: send at least one of them. The activity belongs to the acting user. `occurredAt` defaults to now and is at most one day ahead.',
    body: writable,
    reply: Activity,
    status: 201,
    message: 'Activity logged',
    emits: [activityLogged],
  },
  listActivities: {
    method: 'GET',
    path: '/v1/activities',
    permission: 'activities:read',
    narrows: true,
    summary: 'List activities',
    description: 'Includes the entries of the system, unless `system` is false.',
    query: listQuery(['occurredAt', 'createdAt'])
      .omit({ search: true })
      .extend({
        type: ActivityType.optional(),
        system: flag()
          .describe('Return only entries of the system (`true`), or only what people logged (`false`)')
          .optional(),
        userId: id('user').optional(),
        leadId: id('lead').optional(),
        opportunityId: id('opportunity').optional(),
        accountId: id('account').optional(),
        partnerId: id('partner').optional(),
        occurredFrom: timestamp().describe('Return only activities that happened at this time or later').optional(),
        occurredTo: timestamp().describe('Return only activities that happened at this time or earlier').optional(),
      }),
    reply: page(Activity),
    message: 'Activities retrieved',
  },
  getActivity: {
    method: 'GET',
    path: '/v1/activities/:id',
    permission: 'activities:read',
    narrows: true,
    summary: 'Retrieve an activity',
    params: withId,
    reply: Activity,
    message: 'Activity retrieved',
  },
  updateActivity: {
    method: 'PATCH',
    path: '/v1/activities/:id',
    permission: 'activities:write',
    also: links,
    narrows: true,
    summary: 'Update an activity',
    description: 'Changes the given fields. An entry of the system is read-only.',
    params: withId,
    body: writable.partial(),
    reply: Activity,
    message: 'Activity updated',
    emits: [activityUpdated],
    errors: systemEntry,
  },
  deleteActivity: {
    method: 'DELETE',
    path: '/v1/activities/:id',
    permission: 'activities:delete',
    narrows: true,
    summary: 'Delete an activity',
    description: 'Deletes the activity permanently. An entry of the system cannot be deleted.',
    params: withId,
    reply: z.object({ id: id('activity'), deleted: z.literal(true).describe('Always true') }),
    message: 'Activity deleted',
    emits: [activityDeleted],
    errors: systemEntry,
  },
});
