import { Environment, id, listQuery, operations, page, resourceTypes, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

const types = Object.keys(resourceTypes) as [keyof typeof resourceTypes, ...(keyof typeof resourceTypes)[]];
export const TargetType = z.enum(types).describe('The type of the record');

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
  outcome: z
    .enum(['success', 'failure'])
    .describe('The outcome of the action; `failure` for a rejected attempt, such as a failed sign-in'),
});

export const auditLogs = operations({
  listAuditLogs: {
    method: 'GET',
    path: '/v1/audit-logs',
    permission: 'audit:read',
    summary: 'List the audit log',
    description: 'Returns all changes, newest first. A sandbox key returns the changes in the sandbox.',
    query: listQuery(['occurredAt'])
      .omit({ search: true, createdFrom: true, createdTo: true })
      .extend({
        actorId: id('user').describe('Return only entries with this user as actor').optional(),
        onBehalfOfId: id('user')
          .describe('Return only entries of API keys that acted on behalf of this user')
          .optional(),
        keyId: id('api_key').optional(),
        action: text(100)
          .meta({ examples: ['lead.update'] })
          .optional(),
        targetType: TargetType.describe('Return only entries about this type of record').optional(),
        targetId: text(64)
          .meta({ description: 'Return only entries about the record with this id', examples: ['khzasVT5ZxaVtyRs'] })
          .optional(),
        environment: Environment.optional(),
        from: timestamp().describe('Return only entries at this time or later').optional(),
        to: timestamp().describe('Return only entries at this time or earlier').optional(),
      }),
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
});
