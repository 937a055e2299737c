import { Environment, event, id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** Maximum number of recorded refused calls per user or key and hour, so that a program cannot flood the audit log. */
export const refusalsPerHourMax = 10;

const refused = {
  action: 'request.refuse',
  outcome: 'refused',
  data: z.object({ operation: z.string(), reason: z.string() }),
} as const;

export const accessRefused = event('access.refused', {
  ...refused,
  description: 'A call of a signed-in user is refused, because it requires a permission that the user does not have',
  target: 'user',
  record: z.object({ id: id('user') }),
});
export const keyAccessRefused = event('access.key_refused', {
  ...refused,
  description: 'A call with an API key is refused, because it requires a permission that the key does not have',
  target: 'api_key',
  record: z.object({ id: id('api_key') }),
});

/** A call that the gateway answered with 403. */
export const RefusedRequest = z.object({
  /** Chosen by the gateway: a repeated report of the same call has no effect. */
  id: z.uuid(),
  at: timestamp(),
  tenantId: id('tenant'),
  environment: Environment,
  /** The user who is signed in, or the owner of the key. */
  userId: z.int().positive(),
  /** Null for a user who is signed in. */
  keyId: z.int().positive().nullable(),
  onBehalfOf: z.int().positive().nullable(),
  name: z.string(),
  ip: z.string().max(64),
  userAgent: z.string().max(200).nullable(),
  requestId: z.string().max(64),
  /** Method and path of the operation: `POST /v1/leads`. */
  operation: z.string().max(200),
  /** The error code of the response. */
  reason: z.string().max(50),
});

/** Refused calls, from the gateway. */
export const internalRefusals = operations({
  recordRefusals: {
    method: 'POST',
    path: '/internal/refusals/record',
    audience: 'internal',
    summary: 'Add refused calls to the audit log, at most ten per user or key and hour',
    body: z.object({ refusals: z.array(RefusedRequest).max(100) }),
    reply: z.object({}),
    message: 'Refused calls recorded',
    // One short transaction for each call.
    timeoutMs: 10_000,
    emits: [accessRefused, keyAccessRefused],
  },
});
