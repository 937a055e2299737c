import { event, id, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { ConnectorKeyField } from './connector.ts';

/** Days that runs and their items are kept. */
export const runDays = 30;

export const runStatuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;
export const runTriggers = ['manual', 'schedule', 'event'] as const;
export const runActions = ['created', 'updated', 'deleted', 'sent', 'skipped', 'failed'] as const;

export const RunStatus = z
  .enum(runStatuses)
  .describe(
    'The status: `waiting` after a failed attempt, until the next one at `nextAttemptAt`; `failed` when no attempt is left, or when the cause needs a change',
  );
export const RunTrigger = z
  .enum(runTriggers)
  .describe('The cause of the run: a request, the schedule of the config, or an event');
export const RunAction = z.enum(runActions).describe('The outcome for the record');

export const connectorRunStates = stateTable<(typeof runStatuses)[number]>('ConnectorRun', {
  created: { queued: 'syncConnectorConfig' },
  changes: {
    queued: { cancelled: 'cancelConnectorRun' },
    running: { cancelled: 'cancelConnectorRun' },
    waiting: { cancelled: 'cancelConnectorRun', queued: 'retryConnectorRun' },
    failed: { queued: 'retryConnectorRun' },
    succeeded: {},
    cancelled: {},
  },
  automatic: {
    queued: { running: 'run-sync.job' },
    running: { succeeded: 'run-sync.job', failed: 'run-sync.job', waiting: 'run-sync.job' },
    waiting: { running: 'run-sync.job' },
  },
});

const count = (description: string, example = 0) => z.int().meta({ description, examples: [example] });

export const RunCounts = z.object({
  created: count('Records that were created', 12),
  updated: count('Records that were updated', 3),
  deleted: count('Records that were deleted or cancelled'),
  sent: count('Events and records that were sent to the connected system'),
  unchanged: count('Records that were as before', 40),
  skipped: count('Records that were not written, for a reason that the items name', 1),
  failed: count('Records that were refused'),
});

export const ConnectorRun = z.object({
  id: id('connector_run'),
  configId: id('connector_config'),
  connectorKey: ConnectorKeyField,
  trigger: RunTrigger.meta({ examples: ['schedule'] }),
  eventId: id('event').nullable().describe('The event that the connector acts on; null for a sync'),
  calendarEventId: id('calendar_event')
    .nullable()
    .describe('The calendar event that is written to the connected calendar; null for a sync'),
  full: z
    .boolean()
    .meta({ description: 'Whether the sync reads all records instead of those that have changed', examples: [false] }),
  status: RunStatus.meta({ examples: ['succeeded'] }),
  allowedTransitions: z.array(RunStatus).meta({
    description: 'The statuses that this run can currently change to by an operation',
    examples: [[]],
  }),
  counts: RunCounts.describe('The records of the run by their outcome'),
  attempts: z.int().meta({ description: 'The number of attempts in a row that failed', examples: [0] }),
  error: z
    .string()
    .nullable()
    .meta({
      description:
        'The reason of the last failure: as `lastError` of the config; null if there is none. Single records that were refused are among the items',
      examples: [null],
    }),
  nextAttemptAt: timestamp()
    .nullable()
    .meta({ description: 'When the next attempt is due', examples: [null] }),
  startedAt: timestamp().nullable().describe('When the first attempt began'),
  completedAt: timestamp().nullable().describe('When the run ended'),
  createdBy: id('user').nullable().describe('The user who requested the run'),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

export const ConnectorRunItem = z.object({
  kind: text(50).meta({
    description:
      'The kind of the record: `account`, `lead`, `opportunity`, `calendar_event`, `mail`, `activity` or `event`',
    examples: ['lead'],
  }),
  direction: z
    .enum(['in', 'out'])
    .meta({ description: '`in` for a record that was read from the connected system', examples: ['in'] }),
  externalId: z
    .string()
    .nullable()
    .meta({ description: 'The id of the record in the connected system', examples: ['1042'] }),
  leadId: id('lead').nullable().describe('The lead that was written'),
  accountId: id('account').nullable().describe('The account that was written'),
  opportunityId: id('opportunity').nullable().describe('The opportunity that was written'),
  calendarEventId: id('calendar_event').nullable().describe('The calendar event that was written or sent'),
  action: RunAction.meta({ examples: ['created'] }),
  reason: z
    .string()
    .nullable()
    .meta({ description: 'Why the record was skipped or refused', examples: [null] }),
  createdAt: timestamp(),
});

const about = z.object({
  configId: id('connector_config'),
  runId: id('connector_run'),
  connectorKey: ConnectorKeyField,
});
const exampleAbout = {
  configId: '70SZZSKFTGBNW19x',
  runId: 'Fnu0ptKuCEQbk6iq',
  connectorKey: 'hubspot',
} as const;

const runEvent = { target: 'connector_run', record: ConnectorRun } as const;
const shown = { group: 'integrations', readPermission: 'integrations:read' } as const;

export const syncRequested = event('integration.sync_requested', {
  ...runEvent,
  action: 'integration.sync',
  description: 'A user requests a sync',
  data: about,
});
export const syncCancelled = event('integration.sync_cancelled', {
  ...runEvent,
  action: 'integration.cancel_sync',
  description: 'A run is cancelled',
  data: about,
});
export const runRetried = event('integration.run_retried', {
  ...runEvent,
  action: 'integration.retry_run',
  description: 'A failed run is started again',
  data: about,
});
export const syncCompleted = event('integration.sync_completed', {
  ...runEvent,
  ...shown,
  action: 'integration.complete_sync',
  description: 'A sync that changed or refused records, or that was requested, ends',
  data: about.extend({ counts: RunCounts.describe('The records of the run by their outcome') }),
  example: {
    ...exampleAbout,
    counts: { created: 12, updated: 3, deleted: 0, sent: 0, unchanged: 40, skipped: 1, failed: 0 },
  },
});
export const runFailed = event('integration.run_failed', {
  ...runEvent,
  ...shown,
  action: 'integration.fail_run',
  description: 'A sync, or a copy of an event to a connected calendar, fails for good',
  outcome: 'failure',
  data: about.extend({
    trigger: RunTrigger,
    reason: z.string().meta({ description: 'The reason of the failure', examples: ['provider_unavailable'] }),
    failures: z.int().meta({ description: 'The number of syncs of the config in a row that failed', examples: [1] }),
    authorizedBy: id('user').nullable().describe('The user who set the config up'),
  }),
  example: {
    ...exampleAbout,
    trigger: 'schedule',
    reason: 'provider_unavailable',
    failures: 1,
    authorizedBy: 'a3HT7XOrDKJZ9JtB',
  },
});
