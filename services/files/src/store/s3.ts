import type { Readable } from 'node:stream';
import type { CompletedPart, ListPartsCommandOutput } from '@aws-sdk/client-s3';
import { outgoingGuard } from '@tandem/process';
import type { FilesSettings } from '../settings.ts';
import type { Store } from './store.ts';

const connectMs = 2_000;
/** How long a request may take until its response begins, and how long a connection may be silent after that. */
const usualLimits = {
  requestMs: 30_000,
  // Longer than the scanner, which content waits for while it is read, may be silent.
  silenceMs: 150_000,
  // The storage copies up to 5 GiB before it answers.
  copyMs: 10 * 60_000,
};
const removedAtOnce = 50;
// The smallest part that S3 accepts, and the memory that each upload uses.
const partBytes = 5 * 1024 * 1024;

/** Stores files in a bucket of S3 or a compatible storage. Clients send large uploads to the bucket, and download from it. */
export async function s3Store(settings: FilesSettings, { requestMs, silenceMs, copyMs } = usualLimits): Promise<Store> {
  // Loaded only for this driver, because the library uses half of the service's memory.
  const s3 = await import('@aws-sdk/client-s3');
  const { Upload } = await import('@aws-sdk/lib-storage');
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const { S3_BUCKET: Bucket, S3_REGION: region, S3_ENDPOINT: endpoint } = settings;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  function createClient(timeoutMs: number) {
    const created = new s3.S3Client({
      region,
      ...(endpoint && { endpoint, forcePathStyle: true }),
      // Without keys the library uses the role of the machine.
      ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
      requestHandler: {
        connectionTimeout: connectMs,
        requestTimeout: timeoutMs,
        // The library only writes a warning otherwise.
        throwOnRequestTimeout: true,
        socketTimeout: Math.max(timeoutMs, silenceMs),
      },
      maxAttempts: 3,
      // Compatible storages may not support newer checksums; the record has a checksum of the whole file.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    created.middlewareStack.add(
      (next) => (args) => {
        outgoingGuard.assertMayCall('The bucket');
        return next(args);
      },
      { step: 'initialize', name: 'outgoingGuard' },
    );
    return created;
  }
  const client = createClient(requestMs);
  const copying = createClient(copyMs);

  /** Every stored part; undefined when there is no such upload. */
  async function listParts(Key: string, UploadId: string) {
    const parts: NonNullable<ListPartsCommandOutput['Parts']> = [];
    for (let PartNumberMarker: string | undefined; ; ) {
      const page = await client
        .send(new s3.ListPartsCommand({ Bucket, Key, UploadId, PartNumberMarker }))
        .catch(absent);
      if (!page) return undefined;
      parts.push(...(page.Parts ?? []));
      if (!page.IsTruncated) return parts;
      PartNumberMarker = page.NextPartNumberMarker;
    }
  }

  async function sizeOf(Key: string): Promise<number | undefined> {
    return (await client.send(new s3.HeadObjectCommand({ Bucket, Key })).catch(absent))?.ContentLength;
  }

  /** Ends the uploads in parts of the keys that begin with a prefix. The storage lists at most 1,000 of them at once. */
  async function abortUploads(Prefix: string, isUnused: (key: string) => boolean = () => true): Promise<void> {
    for (let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {}; ; ) {
      const page = await client.send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix, ...from }));
      const unused = (page.Uploads ?? []).filter((one) => isUnused(one.Key as string));
      for (const { Key, UploadId } of unused)
        await client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
      if (!page.IsTruncated) return;
      from = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  return {
    async put(Key, Body: Readable) {
      // Aborts the multipart upload when the stream fails, so that no parts are left.
      await new Upload({ client, params: { Bucket, Key, Body }, partSize: partBytes, queueSize: 1 }).done();
    },
    async get(Key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const { Body } = await client.send(new s3.GetObjectCommand({ Bucket, Key, ...(Range && { Range }) }));
      return Body as Readable;
    },
    size: sizeOf,
    async copy(key, Key) {
      const copy = new s3.CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${key}` });
      await copying.send(copy);
    },
    async remove(Key) {
      await abortUploads(Key, (found) => found === Key);
      await client.send(new s3.DeleteObjectCommand({ Bucket, Key }));
    },
    async removeFolder(Prefix, kept = new Set()) {
      await abortUploads(Prefix);
      // Single deletions, because some compatible storages require another checksum for the deletion of many.
      for (let StartAfter: string | undefined; ; ) {
        const { Contents = [] } = await client.send(
          new s3.ListObjectsV2Command({ Bucket, Prefix, MaxKeys: removedAtOnce, ...(StartAfter && { StartAfter }) }),
        );
        const unused = Contents.filter(({ Key }) => !kept.has(Key as string));
        await Promise.all(unused.map(({ Key }) => client.send(new s3.DeleteObjectCommand({ Bucket, Key }))));
        if (Contents.length < removedAtOnce) return;
        StartAfter = Contents.at(-1)?.Key;
      }
    },
    async signPut({ key: Key, contentType, size, checksumSha256 }, expiresAt) {
      const ChecksumSHA256 = checksumSha256 && Buffer.from(checksumSha256, 'hex').toString('base64');
      const command = new s3.PutObjectCommand({
        Bucket,
        Key,
        ContentType: contentType,
        ContentLength: size,
        ...(ChecksumSHA256 && { ChecksumSHA256 }),
      });
      const signed = new Set(['content-type', 'content-length', 'x-amz-checksum-sha256']);
      const url = await getSignedUrl(client, command, {
        expiresIn: secondsUntil(expiresAt),
        signableHeaders: signed,
        unhoistableHeaders: signed,
      });
      const headers = { 'Content-Type': contentType, 'Content-Length': String(size) };
      return { url, headers: { ...headers, ...(ChecksumSHA256 && { 'x-amz-checksum-sha256': ChecksumSHA256 }) } };
    },
    signGet: ({ key: Key, contentType, disposition }, expiresAt) =>
      getSignedUrl(
        client,
        new s3.GetObjectCommand({
          Bucket,
          Key,
          ResponseContentType: contentType,
          ResponseContentDisposition: disposition,
        }),
        { expiresIn: secondsUntil(expiresAt) },
      ),
    parts: {
      async begin(Key) {
        const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key }));
        return UploadId as string;
      },
      async sign({ key: Key, uploadId: UploadId, number: PartNumber }, expiresAt) {
        const command = new s3.UploadPartCommand({ Bucket, Key, UploadId, PartNumber });
        return { url: await getSignedUrl(client, command, { expiresIn: secondsUntil(expiresAt) }), headers: {} };
      },
      async list(key, uploadId) {
        const parts = await listParts(key, uploadId);
        return parts?.map(({ PartNumber, Size }) => ({ number: PartNumber as number, size: Size as number }));
      },
      async complete(Key, UploadId, numbers) {
        const stored = await listParts(Key, UploadId);
        // Repeated after a crash: the upload ended with its object.
        if (!stored && (await sizeOf(Key)) !== undefined) return;
        const Parts: CompletedPart[] = (stored ?? [])
          .filter(({ PartNumber }) => numbers.includes(PartNumber as number))
          .map(({ PartNumber, ETag }) => ({ PartNumber, ETag }));
        const command = new s3.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
        await copying.send(command);
      },
    },
  };
}

function secondsUntil(time: Date): number {
  return Math.max(1, Math.floor((time.getTime() - Date.now()) / 1_000));
}

/** Undefined instead of the error for an object or upload that does not exist. */
function absent(error: { $metadata?: { httpStatusCode?: number } }): undefined {
  if (error.$metadata?.httpStatusCode !== 404) throw error;
}
