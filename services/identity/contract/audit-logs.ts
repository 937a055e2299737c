import { id, listQuery, operations, page, resourceTypes, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

const types = Object.keys(resourceTypes) as [keyof typeof resourceTypes, ...(keyof typeof resourceTypes)[]];
const TargetType = z.enum(types, { error: `Must be one of ${types.join(', ')}` });

export const AuditLog = z.object({
  id: id('audit_log'),
  /** `<resource>.<verb>`, such as `lead.update`. */
  action: z.string(),
  occurredAt: timestamp(),
  actor: z.object({
    type: z.enum(['user', 'key', 'portal', 'system', 'anonymous']),
    /** The person signed in, or the owner of the key. */
    id: id('user').nullable(),
    name: z.string().nullable(),
  }),
  /** Whom the key acted on behalf of. */
  onBehalfOf: z.object({ id: id('user') }).nullable(),
  keyId: id('api_key').nullable(),
  /** Ids of many kinds stand here, so they are plain strings: the same codes as everywhere. */
  targets: z.array(z.object({ type: z.string(), id: z.string() })),
  /** Field → before and after; secrets are never shown. */
  changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
  context: z.object({
    ip: z.string().nullable(),
    userAgent: z.string().nullable(),
    requestId: z.string(),
    environment: z.enum(['live', 'sandbox']),
  }),
  /** failure: an attempt that was refused, such as a failed sign-in. */
  outcome: z.enum(['success', 'failure']),
});

export const auditLogs = operations({
  listAuditLogs: {
    method: 'GET',
    path: '/v1/audit-logs',
    permission: 'audit:read',
    summary: 'List the audit log',
    description: 'Every change, the newest first. A sandbox key sees what happened in the sandbox.',
    query: listQuery(['occurredAt'])
      .omit({ search: true, createdFrom: true, createdTo: true })
      .extend({
        actorId: id('user').optional(),
        onBehalfOfId: id('user').optional(),
        keyId: id('api_key').optional(),
        action: text(100).optional(),
        targetType: TargetType.optional(),
        targetId: text(64).optional(),
        environment: z.enum(['live', 'sandbox'], { error: 'Must be live or sandbox' }).optional(),
        from: timestamp().optional(),
        to: timestamp().optional(),
      }),
    reply: page(AuditLog),
    message: 'Audit log retrieved',
  },
  getAuditLog: {
    method: 'GET',
    path: '/v1/audit-logs/:id',
    permission: 'audit:read',
    summary: 'Retrieve an entry of the audit log',
    params: z.object({ id: id('audit_log') }),
    reply: AuditLog,
    message: 'Audit log entry retrieved',
  },
});
