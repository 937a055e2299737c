import type { IncomingMessage } from 'node:http';
import { GatewayError } from './gateway-error.ts';

const jsonType = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;
const jsonInAnyCharset = /^application\/json\s*;/i;

/**
 * Reads the body of a request, up to `max` bytes. Empty if there is none.
 * @param options.anyMedia accepts every media type
 * @throws GatewayError 413 if it is larger, 415 if it is not uncompressed JSON in UTF-8
 */
export async function readBody(
  request: IncomingMessage,
  max: number,
  { anyMedia = false }: { anyMedia?: boolean } = {},
): Promise<Buffer> {
  const { headers } = request;
  const contentLength = headers['content-length'];
  if (contentLength === undefined && headers['transfer-encoding'] === undefined) return empty;
  if (contentLength === '0') return empty;
  if (Number(contentLength) > max) throw tooLarge(max);
  const problem = encodingProblem(headers, anyMedia);
  if (problem) throw problem;

  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    // The client disconnected while the limits were checked: no further event would fire.
    if (request.destroyed) return reject(new GatewayError('malformed_request'));
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > max) {
        request.removeAllListeners('data');
        reject(tooLarge(max));
      } else chunks.push(chunk);
    });
    request.on('end', resolve);
    request.on('error', () => reject(new GatewayError('malformed_request')));
    request.on('close', () => {
      if (!request.readableEnded) reject(new GatewayError('malformed_request'));
    });
  });
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
}

/** Whether a request declares a body that is not JSON in any encoding. */
export function hasOtherMedia({ headers: { 'content-type': type = '' } }: IncomingMessage): boolean {
  return !jsonType.test(type) && !jsonInAnyCharset.test(type);
}

function encodingProblem(
  { 'content-type': type = '', 'content-encoding': encoding }: IncomingMessage['headers'],
  anyMedia: boolean,
): GatewayError | undefined {
  const wrong = (message?: string) =>
    new GatewayError('wrong_content_type', { ...(message !== undefined && { message }), hangUp: true });
  if (!anyMedia && !jsonType.test(type))
    return wrong(jsonInAnyCharset.test(type) ? 'Send the request body as application/json in UTF-8' : undefined);
  return encoding === undefined ? undefined : wrong('Send the request body uncompressed, without Content-Encoding');
}

/**
 * Checks the head of a body that is passed on while it arrives. The service stops at a longer one without a length.
 * @throws GatewayError 413 if it is larger than `max` bytes, 415 if it is compressed
 */
export function checkStreamedBody({ headers }: IncomingMessage, max: number): void {
  if (Number(headers['content-length']) > max) throw tooLarge(max);
  const problem = encodingProblem(headers, true);
  if (problem) throw problem;
}

const empty = Buffer.alloc(0);

function tooLarge(max: number): GatewayError {
  return new GatewayError('body_too_large', {
    errors: [{ field: 'body', message: `Must be at most ${max} bytes` }],
    hangUp: true,
  });
}
