import type { Readable } from 'node:stream';
import { outgoingGuard } from '@tandem/process';
import type { FilesSettings } from '../settings.ts';
import type { Store } from './store.ts';

const connectMs = 2_000;
const requestMs = 30_000;
const removedAtOnce = 50;
// The smallest part that S3 accepts, and the memory that each upload uses.
const partBytes = 5 * 1024 * 1024;

/** Stores files in a bucket of S3 or a compatible storage. */
export async function s3Store(settings: FilesSettings): Promise<Store> {
  // Loaded only for this driver, because the library uses half of the service's memory.
  const { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, S3Client } = await import('@aws-sdk/client-s3');
  const { Upload } = await import('@aws-sdk/lib-storage');
  const { S3_BUCKET: Bucket, S3_REGION: region, S3_ENDPOINT: endpoint } = settings;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    // Without keys the library uses the role of the machine.
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
    requestHandler: { connectionTimeout: connectMs, requestTimeout: requestMs },
    maxAttempts: 3,
    // Compatible storages may not support newer checksums; the record has a checksum of the whole file.
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
      // Aborts the multipart upload when the stream fails, so that no parts are left.
      await new Upload({ client, params: { Bucket, Key, Body }, partSize: partBytes, queueSize: 1 }).done();
    },
    async get(Key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      return Body as Readable;
    },
    async remove(Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
    async removeFolder(Prefix) {
      // Always the first page, because the objects of the previous one are deleted. Single deletions, because some
      // compatible storages require another checksum for the deletion of many.
      for (;;) {
        const { Contents = [] } = await client.send(
          new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: removedAtOnce }),
        );
        await Promise.all(Contents.map(({ Key }) => client.send(new DeleteObjectCommand({ Bucket, Key }))));
        if (Contents.length < removedAtOnce) return;
      }
    },
  };
}
