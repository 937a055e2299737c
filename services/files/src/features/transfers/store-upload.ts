import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { transfers } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { type DirectUpload, isPart } from '../../store/local.ts';
import type { Store } from '../../store/store.ts';
import { orStorageFull } from '../files/stored-object.ts';
import { createReceiving, type Received } from './receiving.ts';

/** The bytes that a request must have. */
interface Expected {
  size: { exactly: number } | { atMost: number };
  checksum?: string | undefined;
}

/** Stores the content of an upload, or a part of it, while it arrives. Only with the local store: others take it themselves. */
export function storeUpload({ store, uploadLinks }: Tools): Handler<typeof transfers.storeUpload, { size: number }> {
  const receiving = createReceiving();
  return {
    async check({ params, body, inTenant }) {
      const upload = uploadLinks.read(params.token);
      if (upload === 'expired') throw fail('link_expired');
      if (!upload) throw fail('not_found');
      const isPending = await inTenant(scopeOf(upload.key), ({ tx }) => isUploadPending(tx, upload));
      if (!isPending) throw fail('not_found');
      const received = { size: 0 };
      const expected = await expectedOf(store, upload);
      const sizeSoFar = () => (isPart(upload) ? receiving.sizeOf(upload) : received.size);
      const stream = Readable.from(checked(body.chunks, expected, { received, sizeSoFar }), { objectMode: false });
      const request = Object.assign(received, { stream });
      await receiving.store(upload, request, () => orStorageFull(storeBytes(store, upload, stream)));
      return { size: received.size };
    },
    run: ({ found }) => found,
  };
}

async function storeBytes(store: Store, upload: DirectUpload, bytes: Readable): Promise<void> {
  if (!isPart(upload)) return store.put(upload.key, bytes);
  if (!store.parts.put) throw fail('not_found');
  await store.parts.put(upload, bytes);
}

async function isUploadPending(tx: Tx, upload: DirectUpload): Promise<boolean> {
  const uploadId = isPart(upload) ? { uploadId: upload.uploadId } : {};
  const where = { objectKey: upload.key, deletedAt: null, status: 'pending_upload', ...uploadId };
  return (await tx.file.count({ where })) > 0;
}

async function expectedOf(store: Store, upload: DirectUpload): Promise<Expected> {
  if (!isPart(upload)) return { size: { exactly: upload.size }, checksum: upload.checksumSha256 };
  // All parts together have at most the declared size, which the tenant has reserved: those that are stored, and those that
  // other requests are sending.
  const parts = (await store.parts.list(upload.key, upload.uploadId)) ?? [];
  const others = parts.filter(({ number }) => number !== upload.number).reduce((sum, { size }) => sum + size, 0);
  return { size: { atMost: Math.max(0, upload.sizeMax - others) } };
}

async function* checked(
  chunks: AsyncIterable<Uint8Array>,
  { size, checksum }: Expected,
  { received, sizeSoFar }: { received: Received; sizeSoFar: () => number },
): AsyncGenerator<Uint8Array> {
  const hash = checksum === undefined ? undefined : createHash('sha256');
  const max = 'exactly' in size ? size.exactly : size.atMost;
  for await (const chunk of chunks) {
    received.size += chunk.length;
    if (sizeSoFar() > max) throw fail('body_too_large', [{ field: 'body', message: `Must be at most ${max} bytes` }]);
    hash?.update(chunk);
    yield chunk;
  }
  if ('exactly' in size && received.size < max) throw mismatch(`Must be exactly ${max} bytes`);
  if (hash && hash.digest('hex') !== checksum) throw mismatch(`Must have the SHA-256 checksum ${checksum}`);
}

function mismatch(message: string) {
  return fail('content_mismatch', [{ field: 'body', message }]);
}

/** Keys begin with the tenant and its environment. */
function scopeOf(key: string): { tenantId: number; environment: 'live' | 'sandbox' } {
  const [tenantId, environment] = key.split('/');
  return { tenantId: Number(tenantId), environment: environment as 'live' | 'sandbox' };
}
