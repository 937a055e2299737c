import { operations } from '@tandem/contract';
import { z } from 'zod';
import { apiCallLimits } from './api-call-batch.ts';

/** Calls of the API, from the gateway. */
export const internalApiCalls = operations({
  recordApiCalls: {
    method: 'POST',
    path: '/internal/api-calls/record',
    audience: 'internal',
    summary: 'Store calls in the API log; a repeated batch has no effect',
    rawBody: { headers: {} },
    bodyMax: apiCallLimits.batchBytes,
    reply: z.object({ stored: z.int() }),
    message: 'API calls stored',
    emits: [],
  },
});
