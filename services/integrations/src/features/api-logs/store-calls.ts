import type { ReportedCall } from '@tandem/integrations-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';

/** A call of the API, or one that the platform made for the tenant. */
export interface Call
  extends Pick<
    z.output<typeof ReportedCall>,
    'at' | 'sequence' | 'requestId' | 'method' | 'path' | 'query' | 'status' | 'durationMs' | 'errorCode' | 'keyId'
  > {
  direction: 'inbound' | 'outbound';
  host: string | null;
  route: string | null;
  ip: string | null;
  actingUserId: number | null;
  requestBody: string | null;
  requestBytes: number | null;
  responseBody: string | null;
  responseBytes: number | null;
}

/**
 * Stores calls of the tenant of the scope, once each. Calls of a day without a partition, such as those of a gateway whose
 * clock is wrong, are left out: the statement would fail for all.
 * @returns the number of new calls
 */
export async function storeCalls(tx: Tx, calls: readonly Call[]): Promise<number> {
  const stored = await tx.sql`
    INSERT INTO api_log (direction, request_id, sequence, method, host, path, query, route, status, error_code, duration_ms, ip,
      key_id, acting_user_id, request_body, request_bytes, response_body, response_bytes, created_at)
    SELECT direction, "requestId", sequence, method, host, path, query, route, status, "errorCode", "durationMs", ip,
      "keyId", "actingUserId", "requestBody", "requestBytes", "responseBody", "responseBytes", to_timestamp(at / 1000.0)
    FROM json_to_recordset(${JSON.stringify(calls)}::text::json) AS call(direction text, "requestId" text, sequence int,
      method text, host text, path text, query text, route text, status int, "errorCode" text, "durationMs" int, ip text,
      "keyId" bigint, "actingUserId" bigint, "requestBody" text, "requestBytes" int, "responseBody" text,
      "responseBytes" int, at float8)
    WHERE to_timestamp(at / 1000.0) BETWEEN date_trunc('day', now(), 'UTC') - interval '1 day' AND now() + interval '1 day'
    ORDER BY at, sequence
    ON CONFLICT DO NOTHING RETURNING id`;
  return stored.length;
}
