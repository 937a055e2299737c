import {
  Environment,
  event,
  id,
  JobStarted,
  listQuery,
  media,
  operations,
  page,
  resourceTypes,
  sharedErrors,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';

const types = Object.keys(resourceTypes) as [keyof typeof resourceTypes, ...(keyof typeof resourceTypes)[]];
export const TargetType = z.enum(types).describe('The type of the record');

export const AuditOutcome = z
  .enum(['success', 'failure', 'refused'])
  .describe(
    'The outcome of the action; `failure` for a rejected attempt, such as a failed sign-in, and `refused` for a call without the permission',
  );

export const AuditLog = z.object({
  id: id('audit_log'),
  action: z.string().meta({ description: 'The action, as `<resource>.<verb>`', examples: ['lead.update'] }),
  occurredAt: timestamp().describe('When the action happened'),
  actor: z
    .object({
      type: z.enum(['user', 'key', 'portal', 'system', 'anonymous']).describe('The type of the caller'),
      id: id('user').nullable().describe('The user who was signed in, or the owner of the API key'),
      name: z
        .string()
        .nullable()
        .meta({ description: 'The name of the actor', examples: ['Ada Lovelace'] }),
    })
    .describe('The caller that performed the action'),
  onBehalfOf: z
    .object({ id: id('user') })
    .nullable()
    .meta({ description: 'The user that the API key acted on behalf of', examples: [null] }),
  keyId: id('api_key').nullable(),
  targets: z
    .array(
      z.object({
        type: z.string().meta({ description: 'The type of the record', examples: ['lead'] }),
        id: z.string().meta({ description: 'The id of the record', examples: ['khzasVT5ZxaVtyRs'] }),
      }),
    )
    .describe('The records that the action affected'),
  changes: z
    .record(
      z.string(),
      z.object({
        from: z.unknown().describe('The previous value'),
        to: z.unknown().describe('The new value'),
      }),
    )
    .meta({
      description: 'The changed fields with their previous and new values; secrets are redacted',
      examples: [{ status: { from: 'new', to: 'contacted' } }],
    }),
  context: z
    .object({
      ip: z
        .string()
        .nullable()
        .meta({ description: 'The IP address of the caller', examples: ['203.0.113.7'] }),
      userAgent: z
        .string()
        .nullable()
        .meta({ description: 'The User-Agent header of the request', examples: ['curl/8.5.0'] }),
      requestId: z.string().meta({
        description: 'The X-Request-Id of the request',
        examples: ['req_5f0c9a7be21d4836c0a1f9e2'],
      }),
      environment: Environment,
    })
    .describe('The request that performed the action'),
  outcome: AuditOutcome,
});

const filters = {
  actorId: id('user').describe('Return only entries with this user as actor').optional(),
  onBehalfOfId: id('user').describe('Return only entries of API keys that acted on behalf of this user').optional(),
  keyId: id('api_key').optional(),
  action: text(100)
    .meta({ description: 'Return only entries of this action', examples: ['lead.update'] })
    .optional(),
  targetType: TargetType.describe('Return only entries about this type of record').optional(),
  targetId: text(64)
    .meta({ description: 'Return only entries about the record with this id', examples: ['khzasVT5ZxaVtyRs'] })
    .optional(),
  environment: Environment.optional(),
  outcome: AuditOutcome.optional(),
  from: timestamp().describe('Return only entries at this time or later').optional(),
  to: timestamp().describe('Return only entries at this time or earlier').optional(),
};

const exportEvent = { target: 'job', record: z.object({ id: id('job') }) } as const;
const ExportFormat = z.enum(['csv', 'json']).describe('The format of the file');

export const auditExportRequested = event('audit_log.export_requested', {
  ...exportEvent,
  description: 'An export of the audit log is requested',
  action: 'audit_log.export',
  data: z.object({ jobId: id('job'), format: ExportFormat }),
});
export const auditExported = event('audit_log.exported', {
  ...exportEvent,
  description: 'An export of the audit log is complete',
  action: 'audit_log.complete_export',
  data: z.object({ jobId: id('job'), rows: z.int(), verified: z.boolean() }),
});
export const auditExportRead = event('audit_log.export_read', {
  ...exportEvent,
  description: 'An export of the audit log is downloaded',
  action: 'audit_log.read_export',
  data: z.object({ jobId: id('job') }),
});

export const auditLogs = operations({
  listAuditLogs: {
    method: 'GET',
    path: '/v1/audit-logs',
    permission: 'audit:read',
    summary: 'List the audit log',
    description:
      'Returns all changes, failed sign-ins and refused calls, newest first. A sandbox key returns the changes in the sandbox.',
    query: listQuery(['occurredAt']).omit({ search: true, createdFrom: true, createdTo: true }).extend(filters),
    reply: page(AuditLog),
    message: 'Audit log retrieved',
  },
  getAuditLog: {
    method: 'GET',
    path: '/v1/audit-logs/:id',
    permission: 'audit:read',
    summary: 'Retrieve an audit log entry',
    params: z.object({ id: id('audit_log') }),
    reply: AuditLog,
    message: 'Audit log entry retrieved',
  },
  createAuditExport: {
    method: 'POST',
    path: '/v1/audit-logs/exports',
    permission: 'audit:read',
    feature: 'audit_export',
    summary: 'Export the audit log',
    description:
      'Starts a job that verifies the chain of hashes and makes the matching entries available as a file for 7 days. GET /v1/jobs/:id returns the progress, the verification, and a new download link at each request. The file contains the entries up to the time of the request, oldest first. Each entry has the hash of the one before (`previousHash`) and its own: SHA-256 of the previous hash, a line feed, and the entry without `changes`, `changesSalt`, `previousHash`, `hash` and `hashForm` as canonical JSON (RFC 8785). `changesDigest` is SHA-256 of `changesSalt`, a line feed, and `changes` as canonical JSON. If the values were erased with the data of a person, `changes` and `changesSalt` are null, and the entry can still be verified. That holds for `hashForm` 3. For 2, the hash covers `changes` and neither `changesSalt` nor `changesDigest`; hashes of older entries (1) can be verified by the platform only.',
    body: z
      .object({
        format: ExportFormat.meta({ examples: ['json'] }),
        filters: z.object(filters).optional().describe('Export only matching entries; the filters of the list'),
      })
      .meta({
        examples: [
          {
            format: 'csv',
            filters: { action: 'lead.update', from: '2026-03-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z' },
          },
        ],
      }),
    reply: JobStarted,
    status: 202,
    message: 'Export started',
    emits: [auditExportRequested],
  },
  downloadAuditExport: {
    method: 'GET',
    path: '/v1/public/audit-exports/:token',
    audience: 'public',
    summary: 'Download an export of the audit log',
    description:
      'Returns the file. GET /v1/jobs/:id returns the URL of this operation. Each download is in the audit log.',
    params: z.object({
      token: z
        .string()
        .max(2_000)
        .meta({ description: 'The token at the end of the link', examples: ['ThisIsOnlyAnExample'] }),
    }),
    reply: media('text/csv', 'application/json'),
    message: 'The file',
    emits: [auditExportRead],
    errors: {
      link_expired: sharedErrors.link_expired,
      entries_removed: [410, 'Entries of this export are past their retention and were removed; export the log again'],
    },
  },
});
