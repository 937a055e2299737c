import type { Readable } from 'node:stream';
import { outgoingGuard } from '@tandem/process';
import type { FilesSettings } from '../settings.ts';
import type { Store } from './store.ts';

const connectMs = 2_000;
const requestMs = 30_000;
// The smallest part that S3 accepts, and the memory that each upload uses.
const partBytes = 5 * 1024 * 1024;

/** Keeps files in a bucket of S3 or a storage that speaks its protocol. */
export async function s3Store(settings: FilesSettings): Promise<Store> {
  // Loaded on first use, because the library is half of the service's memory.
  const { DeleteObjectCommand, GetObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
  const { Upload } = await import('@aws-sdk/lib-storage');
  const { S3_BUCKET: Bucket, S3_REGION: region, S3_ENDPOINT: endpoint } = settings;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    // Without keys the library uses those of the machine's role.
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
    requestHandler: { connectionTimeout: connectMs, requestTimeout: requestMs },
    maxAttempts: 3,
    // Other storages do not know the newer checksums; the record has one of the whole file.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const guard = { step: 'initialize', name: 'outgoingGuard' } as const;
  client.middlewareStack.add(
    (next) => (args) => {
      outgoingGuard.assertMayCall('The bucket');
      return next(args);
    },
    guard,
  );
  return {
    async put(Key, Body: Readable) {
      // Aborts what it has sent when the stream fails, so that no parts are left.
      await new Upload({ client, params: { Bucket, Key, Body }, partSize: partBytes, queueSize: 1 }).done();
    },
    async get(Key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      return Body as Readable;
    },
    async remove(Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
  };
}
