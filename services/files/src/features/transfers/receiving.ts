import type { Readable } from 'node:stream';
import { fail } from '@tandem/service';
import { type DirectUpload, isPart } from '../../store/local.ts';

/** The bytes that a request has sent so far. */
export interface Received {
  size: number;
}

/** The requests that store content with links at this moment, in this process. */
export interface Receiving {
  /** The bytes of all requests for one upload. */
  sizeOf(upload: DirectUpload): number;
  /**
   * Counts a request while it is stored. A later request for the same part, or for the whole file, replaces an earlier one,
   * whose client has lost the connection: the earlier one fails with 409.
   */
  store(upload: DirectUpload, request: Received & { stream: Readable }, work: () => Promise<void>): Promise<void>;
}

export function createReceiving(): Receiving {
  const uploads = new Map<string, Map<number, Received & { stream: Readable }>>();
  return {
    sizeOf: ({ key }) => [...(uploads.get(key)?.values() ?? [])].reduce((sum, { size }) => sum + size, 0),
    async store(upload, request, work) {
      const { key } = upload;
      const part = isPart(upload) ? upload.number : 0;
      const requests = uploads.get(key) ?? new Map<number, Received & { stream: Readable }>();
      uploads.set(key, requests);
      requests.get(part)?.stream.destroy(fail('conflict'));
      requests.set(part, request);
      try {
        await work();
      } finally {
        if (requests.get(part) === request) requests.delete(part);
        if (!requests.size && uploads.get(key) === requests) uploads.delete(key);
      }
    },
  };
}
