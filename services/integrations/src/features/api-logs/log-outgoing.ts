import { randomInt } from 'node:crypto';
import type { Caller } from '@tandem/caller';
import { apiCallLimits } from '@tandem/integrations-contract';
import type { Tx } from '../../handler.ts';
import { storeCalls } from './store-calls.ts';

/** A request that the platform sent for the tenant, and its outcome. */
export interface OutgoingCall {
  method: string;
  url: string;
  startedAt: Date;
  durationMs: number;
  /** Null if there was no response. */
  statusCode: number | null;
  /** The reason why it failed. */
  error: string | null;
  /** Bodies without secrets; what is longer than 8 KiB is cut. */
  requestBody: string | null;
  responseBody: string | null;
}

const sequenceMax = 2 ** 31;
// More than one page of a sync makes.
const callsMax = 500;
// A longer segment of a path can be a token, as in the addresses of incoming webhooks of chat systems.
const segmentMax = 15;

/** Adds outbound calls to the API log, in the transaction of the caller. The query of an address is not stored. */
export async function logOutgoing(
  tx: Tx,
  caller: Pick<Caller, 'requestId' | 'keyId' | 'userId' | 'onBehalfOf'>,
  calls: readonly OutgoingCall[],
): Promise<void> {
  if (calls.length)
    await storeCalls(
      tx,
      calls.slice(0, callsMax).map((call) => rowOf(caller, call)),
    );
}

function rowOf(
  caller: Pick<Caller, 'requestId' | 'keyId' | 'userId' | 'onBehalfOf'>,
  call: OutgoingCall,
): Parameters<typeof storeCalls>[1][number] {
  const { host, pathname } = new URL(call.url);
  const path = pathname.replace(/[^/]+/g, (segment) => (segment.length > segmentMax ? '***' : segment)).slice(0, 200);
  return {
    direction: 'outbound',
    at: call.startedAt.getTime(),
    sequence: randomInt(sequenceMax),
    requestId: caller.requestId,
    method: call.method,
    host,
    path,
    query: null,
    route: null,
    status: call.statusCode ?? 0,
    errorCode: call.error,
    durationMs: call.durationMs,
    ip: null,
    keyId: caller.keyId ?? null,
    actingUserId: caller.onBehalfOf ?? caller.userId ?? null,
    requestBody: cut(call.requestBody),
    requestBytes: sizeOf(call.requestBody),
    responseBody: cut(call.responseBody),
    responseBytes: sizeOf(call.responseBody),
  };
}

// PostgreSQL stores no NUL characters.
function cut(body: string | null): string | null {
  return body === null ? null : Buffer.from(body).subarray(0, apiCallLimits.bodyBytes).toString().replaceAll('\0', '');
}

function sizeOf(body: string | null): number | null {
  return body === null ? null : Buffer.byteLength(body);
}
