import { Environment } from '@tandem/contract';
import { z } from 'zod';

/** Limits of one batch of calls, and of one body in the log. */
export const apiCallLimits = { calls: 500, batchBytes: 2 * 1024 * 1024, bodyBytes: 8 * 1024 };

/** The content of a body as far as it is stored: `length` in UTF-16 code units, and the size of the whole body. */
const BodyPart = z.object({ length: z.int().min(0).max(apiCallLimits.bodyBytes), bytes: z.int().min(0) });
/** As an array, because names would be a third of a frame. */
const BodyLine = z.tuple([z.int(), z.int()]).transform(([length, bytes]) => ({ length, bytes }));

/** One call without its bodies, as the gateway reports it. */
export const ReportedCall = z.object({
  tenantId: z.int().positive(),
  environment: Environment,
  /** When the request arrived, in milliseconds since 1970. */
  at: z.int().positive(),
  /** Tells calls of one gateway apart that have the same request id and arrive in the same millisecond. */
  sequence: z.int().min(0),
  requestId: z.string().max(64),
  method: z.string().max(10),
  path: z.string().max(200),
  /** The path of the operation with its parameters: `/v1/leads/:id`. */
  route: z.string().max(200),
  query: z.string().max(1_024).nullable(),
  status: z.int(),
  durationMs: z.int().min(0),
  ip: z.string().max(64),
  keyId: z.int().positive().nullable(),
  userId: z.int().positive().nullable(),
  errorCode: z.string().max(64).nullable(),
  request: BodyPart.nullable(),
  response: BodyPart.nullable(),
});

/** One call with its bodies. */
export interface ReceivedCall extends z.output<typeof ReportedCall> {
  requestBody: string | null;
  responseBody: string | null;
}

/**
 * Reads a batch. The bytes are frames: a line with the values of a `ReportedCall` as a JSON array in the order of its fields,
 * bodies as `[length, bytes]`, then the text of the request body and the text of the response body. The texts are not encoded as JSON strings, because that would cost the gateway more than all the rest.
 * @throws when a frame is malformed
 */
export function readApiCalls(bytes: Uint8Array): ReceivedCall[] {
  const batch = new TextDecoder().decode(bytes);
  const calls: ReceivedCall[] = [];
  for (let at = 0; at < batch.length; ) {
    const lineEnd = batch.indexOf('\n', at);
    if (lineEnd < 0 || calls.length === apiCallLimits.calls) throw new Error('The batch of API calls is malformed');
    const call = readLine(batch.slice(at, lineEnd));
    const responseAt = lineEnd + 1 + (call.request?.length ?? 0);
    at = responseAt + (call.response?.length ?? 0);
    if (at > batch.length) throw new Error('The batch of API calls is malformed');
    calls.push({
      ...call,
      requestBody: call.request && batch.slice(lineEnd + 1, responseAt),
      responseBody: call.response && batch.slice(responseAt, at),
    });
  }
  return calls;
}

const names = Object.keys(ReportedCall.shape);
const Line = z.array(z.unknown()).length(names.length);

/** The line of a frame, without its line break. The gateway assembles the same text in a faster way. */
export function lineOfCall({ request, response, ...call }: z.output<typeof ReportedCall>): string {
  const part = (body: z.output<typeof BodyPart> | null) => body && [body.length, body.bytes];
  const fields: Record<string, unknown> = { ...call, request: part(request), response: part(response) };
  return JSON.stringify(names.map((name) => fields[name]));
}

function readLine(line: string): z.output<typeof ReportedCall> {
  const values = Line.parse(JSON.parse(line));
  const fields = Object.fromEntries(names.map((name, index) => [name, values[index]]));
  const bodies = z.object({ request: BodyLine.nullable(), response: BodyLine.nullable() }).parse(fields);
  return ReportedCall.parse({ ...fields, ...bodies });
}
