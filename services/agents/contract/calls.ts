import { operations } from '@tandem/contract';
import { z } from 'zod';
import { bulkRunCompleted } from './bulk-run.ts';
import { executionCompleted, executionFailed } from './executions.ts';

/** Maximum size of a report in bytes. */
const reportMax = 16_384;

export const calls = operations({
  receiveCallStatus: {
    method: 'POST',
    path: '/v1/public/agents/calls/:token/status',
    audience: 'public',
    // A call that is in progress ends although its tenant was suspended meanwhile.
    whileSuspended: true,
    fromSharedAddresses: true,
    summary: 'Receive the status of a call',
    description:
      'Called by the telephone provider with a signed form (`CallSid`, `CallStatus`, `CallDuration`, `SequenceNumber`) at the address that each call has. A repeated report, and one that is older than another of the same call, has no effect. Without the settings of a provider this is not found.',
    params: z.object({
      token: z
        .string()
        .max(500)
        .meta({ description: 'The call, sealed', examples: ['ThisIsOnlyAnExample'] }),
    }),
    rawBody: {
      headers: { 'X-Twilio-Signature': 'The signature of the address and the form (HMAC-SHA1, Base64)' },
    },
    bodyMax: reportMax,
    reply: z.object({ received: z.boolean().meta({ description: 'Whether the report is new', examples: [true] }) }),
    message: 'Report received',
    emits: [executionCompleted, executionFailed, bulkRunCompleted],
    errors: { invalid_signature: [403, 'The signature does not match the address and the form'] },
  },
});
