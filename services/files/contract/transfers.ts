import { id, operations, secret, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import {
  Checksum,
  File,
  fileQuarantined,
  fileStatusChanged,
  fileUploaded,
  linkSeconds,
  quotaExceeded,
  storageFull,
  withId,
} from './file.ts';

/** Maximum size of an object that a client sends in one request: the limit of S3. */
export const objectBytesMax = 5 * 1024 ** 3;
/** Minimum size of a part other than the last one, and the numbers of parts. */
export const partBytesMin = 5 * 1024 ** 2;
export const partsMax = 10_000;
const partsSignedMax = 100;

const transferMs = 6 * 3_600_000;

const PartNumber = z
  .int({ error: 'Must be a whole number' })
  .min(1, { error: 'Must be at least 1' })
  .max(partsMax, { error: `Must be at most ${partsMax}` })
  .meta({ description: 'The number of the part; parts are joined in this order', examples: [1] });

const headers = z.record(z.string(), z.string()).meta({
  description: 'The headers that the request must have',
  examples: [{ 'Content-Type': 'application/pdf' }],
});
const uploadUrl = secret(
  z.url().meta({
    description: 'Where to send the content; works without credentials',
    examples: ['https://api.example.com/v1/public/files/ThisIsOnlyAnExample'],
  }),
);
const expiresAt = timestamp().meta({
  description: 'When the URL expires; request another one then',
  examples: ['2026-03-02T09:30:00.000Z'],
});

export const PresignedUpload = z.object({
  fileId: id('file'),
  uploadUrl,
  method: z.literal('PUT').describe('Always PUT'),
  headers,
  expiresAt,
});

const StoredPart = z.object({
  partNumber: PartNumber,
  size: z.int().meta({ description: 'The size of the part in bytes', examples: [5_242_880] }),
});
const PresignedPart = z.object({ partNumber: PartNumber, uploadUrl, headers });

const expiresIn = z
  .int({ error: 'Must be a whole number' })
  .min(linkSeconds.min, { error: `Must be at least ${linkSeconds.min}` })
  .max(linkSeconds.max, { error: `Must be at most ${linkSeconds.max}` })
  .describe('The lifetime of the URL, in seconds');

const notPending = [409, 'The upload is complete, so nothing can be sent any more'] as const;

export const transfers = operations({
  createPresignedUpload: {
    method: 'POST',
    path: '/v1/files/presigned-upload',
    permission: 'files:write',
    narrows: true,
    summary: 'Start an upload of a large file',
    description:
      'Returns a URL to which the client sends the content with PUT. Then call POST /v1/files/:id/complete. Files of up to 5 GiB, unless your deployment sets a different limit. An upload that is not completed within 24 hours is removed.',
    body: z.object({
      filename: File.shape.filename,
      contentType: text(127)
        .regex(/^[\w.+-]{1,63}\/[\w.+-]{1,63}\s*(;.*)?$/, { error: 'Must be a media type such as application/pdf' })
        .meta({ examples: ['application/pdf'] })
        .describe(
          'The media type of the content. Parameters such as the charset are not stored; the headers of the response name the type to send.',
        ),
      size: z
        .int({ error: 'Must be a whole number' })
        .min(0, { error: 'Must be at least 0' })
        .max(objectBytesMax, { error: `Must be at most ${objectBytesMax} bytes` })
        .describe('The size of the content in bytes'),
      checksumSha256: Checksum.regex(/^[0-9a-fA-F]{64}$/, { error: 'Must be 64 hexadecimal digits' })
        .optional()
        .describe('The SHA-256 checksum of the content, in hexadecimal. Other content is refused.'),
      entityType: text(64)
        .min(1, { error: 'Must not be empty' })
        .meta({ examples: ['lead'], description: 'The type of record that the file belongs to; not validated' })
        .optional(),
      entityId: text(64)
        .min(1, { error: 'Must not be empty' })
        .meta({
          examples: ['khzasVT5ZxaVtyRs'],
          description: 'The id of the record that the file belongs to; not validated',
        })
        .optional(),
      expiresIn: expiresIn.default(linkSeconds.usual),
    }),
    reply: PresignedUpload,
    status: 201,
    message: 'Upload started',
    emits: [fileStatusChanged],
    errors: { storage_quota_exceeded: quotaExceeded },
  },
  renewPresignedUpload: {
    method: 'POST',
    path: '/v1/files/:id/presigned-upload',
    permission: 'files:write',
    narrows: true,
    summary: 'Get another URL for an upload',
    params: withId,
    body: z.object({ expiresIn: expiresIn.default(linkSeconds.usual) }),
    reply: PresignedUpload,
    message: 'Upload URL created',
    emits: [],
    errors: { not_pending: notPending },
  },
  signParts: {
    method: 'POST',
    path: '/v1/files/:id/parts',
    permission: 'files:write',
    narrows: true,
    summary: 'Get URLs for parts of an upload',
    description:
      'Each part is sent with PUT to a URL of its own, in any order and again after an interruption; `stored` lists the parts that are complete. Parts other than the last one have at least 5 MiB.',
    params: withId,
    body: z.object({
      partNumbers: z
        .array(PartNumber)
        .max(partsSignedMax, { error: `Must contain at most ${partsSignedMax} numbers` })
        .describe('The numbers of the parts to send; empty to list the stored ones'),
      expiresIn: expiresIn.default(linkSeconds.usual),
    }),
    reply: z.object({
      fileId: id('file'),
      parts: z.array(PresignedPart).describe('A URL for each part'),
      stored: z.array(StoredPart).describe('The parts that are stored'),
      expiresAt,
    }),
    message: 'Part URLs created',
    emits: [],
    errors: { not_pending: notPending },
  },
  completeUpload: {
    method: 'POST',
    path: '/v1/files/:id/complete',
    permission: 'files:write',
    narrows: true,
    summary: 'Complete an upload',
    description:
      'Compares the content with what the upload declared. Content that differs is removed (422) and can be sent again. A large file is `processing` until its content is checked.',
    params: withId,
    timeoutMs: 60_000,
    body: z.object({
      parts: z
        .array(z.object({ partNumber: PartNumber }))
        .min(1, { error: 'Must not be empty' })
        .max(partsMax, { error: `Must contain at most ${partsMax} parts` })
        .describe('The parts of the file; all stored parts by default')
        .optional(),
    }),
    bodyMax: 1024 * 1024,
    reply: File,
    message: 'Upload completed',
    emits: [fileUploaded, fileQuarantined, fileStatusChanged],
    errors: {
      nothing_uploaded: [409, 'No content has arrived; send it to the upload URL first'],
      content_mismatch: [422, 'The content differs from what the upload declared; send it again'],
      upload_failed: [409, 'The content differed from what the upload declared; start another upload'],
    },
  },
  storeUpload: {
    method: 'PUT',
    path: '/v1/public/files/:token',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Send the content of an upload',
    description: 'Takes the bytes of the file or of a part of it. POST /v1/files/presigned-upload returns the URL.',
    params: z.object({
      token: z
        .string()
        .max(2_000)
        .meta({ description: 'The token at the end of the URL', examples: ['ThisIsOnlyAnExample'] }),
    }),
    rawBody: { headers: {}, streamed: true },
    bodyMax: objectBytesMax,
    timeoutMs: transferMs,
    reply: z.object({ size: z.int().meta({ description: 'The number of stored bytes', examples: [48_213] }) }),
    message: 'Content stored',
    emits: [],
    errors: {
      link_expired: [404, 'The link has expired; request a new one'],
      content_mismatch: [422, 'The content differs from what the upload declared; send it again'],
      storage_full: storageFull,
    },
  },
});
