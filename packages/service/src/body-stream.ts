import type { IncomingMessage } from 'node:http';
import { fail } from './api-error.ts';

/**
 * The bytes of a request while they arrive. A reader may stop before the end: the rest is read and dropped, so that the
 * response reaches the client.
 * @throws ApiError 413 beyond `max` bytes, 400 when the client disconnects
 */
export async function* bodyChunks(request: IncomingMessage, max: number): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > max) throw fail('body_too_large', [{ field: 'body', message: `Must be at most ${max} bytes` }]);
      yield chunk as Buffer;
    }
  } catch (error) {
    throw request.destroyed && !request.complete ? fail('malformed_request') : error;
  } finally {
    request.resume();
  }
}
