import { type internalApiCalls, type ReceivedCall, readApiCalls } from '@tandem/integrations-contract';
import { fail, isRemoved } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { type Call, storeCalls } from './store-calls.ts';

/** Stores the calls of each tenant and environment in a transaction of its own; those of removed tenants are dropped. */
export const recordApiCalls: Handler<typeof internalApiCalls.recordApiCalls> = async ({ body, inTenant }) => {
  const groups = Map.groupBy(read(body.bytes), ({ tenantId, environment }) => `${tenantId} ${environment}`);
  let stored = 0;
  for (const calls of groups.values()) {
    const { tenantId, environment } = calls[0] as ReceivedCall;
    await inTenant({ tenantId, environment }, async ({ tx }) => {
      if (!(await isRemoved(tx))) stored += await storeCalls(tx, calls.map(inbound));
    });
  }
  return { stored };
};

function read(bytes: Uint8Array): ReceivedCall[] {
  try {
    return readApiCalls(bytes);
  } catch {
    throw fail('malformed_request');
  }
}

function inbound(call: ReceivedCall): Call {
  return {
    ...call,
    direction: 'inbound',
    host: null,
    actingUserId: call.userId,
    requestBytes: call.request?.bytes ?? null,
    responseBytes: call.response?.bytes ?? null,
  };
}
