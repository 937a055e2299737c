import { aiSettings } from '@tandem/ai';
import { objectBytesMax } from '@tandem/files-contract';
import { mailSettings } from '@tandem/mail';
import { secretSetting } from '@tandem/process';
import { serviceSettings } from '@tandem/service';
import { z } from 'zod';
import { signingKeyProblem } from './features/signatures/pdf/signing-key.ts';

const empty = z.literal('').transform(() => undefined);

/** Settings of the files service. */
export const filesSettings = serviceSettings
  .extend({
    ...aiSettings,
    /** Public base URL of the gateway, used in download links. */
    PUBLIC_URL: z.url(),
    IDENTITY_URL: z.url(),
    IDS_ALPHABET: z.string().length(62, 'Must contain each of the 62 letters and digits once'),
    FILES_DRIVER: z.enum(['local', 's3']).default('local'),
    /** A folder on a persistent disk, for the local driver. */
    DATA_DIR: z.string().default(''),
    FILES_MAX_BYTES: z.coerce
      .number()
      .int()
      .positive()
      .default(25 * 1024 * 1024),
    /** Maximum size of an upload with a link. */
    FILES_UPLOAD_MAX_BYTES: z.coerce.number().int().positive().max(objectBytesMax).default(objectBytesMax),
    /** Uploads with a link up to this size are checked within the request, larger ones by a job. */
    FILES_INLINE_MAX_BYTES: z.coerce
      .number()
      .int()
      .positive()
      .default(64 * 1024 * 1024),
    /** ClamAV's daemon: `host:port`, or the path of a socket. Without it no file is scanned. */
    CLAMD_ADDRESS: z.string().default(''),
    /** How long after a failed scan the file is scanned again. */
    CLAMD_RETRY_SECONDS: z.coerce.number().int().positive().default(60),
    S3_BUCKET: z.string().default(''),
    S3_REGION: z.string().default('us-east-1'),
    /** For S3-compatible storage such as MinIO. */
    S3_ENDPOINT: z.url().optional().or(empty),
    S3_ACCESS_KEY_ID: z.string().optional(),
    S3_SECRET_ACCESS_KEY: z.string().optional(),
    ...mailSettings,
    /** Keys that sign documents, each with its certificate: `id:pem`; the first one signs, all are recognized. */
    SIGNING_KEY: secretSetting(signingKeyProblem),
    /** Providers of signatures besides our own: each works if its three settings are there. */
    DOCUMENSO_URL: z.url().optional().or(empty),
    DOCUMENSO_API_KEY: z.string().optional(),
    DOCUMENSO_WEBHOOK_SECRET: z.string().optional(),
    DOCUSEAL_URL: z.url().optional().or(empty),
    DOCUSEAL_API_KEY: z.string().optional(),
    DOCUSEAL_WEBHOOK_SECRET: z.string().optional(),
  })
  .refine(({ FILES_DRIVER, DATA_DIR }) => FILES_DRIVER !== 'local' || DATA_DIR !== '', {
    path: ['DATA_DIR'],
    error: 'Must be the path of a folder, unless FILES_DRIVER is s3',
  })
  .refine(({ FILES_DRIVER, S3_BUCKET }) => FILES_DRIVER !== 's3' || S3_BUCKET !== '', {
    path: ['S3_BUCKET'],
    error: 'Must be the name of a bucket when FILES_DRIVER is s3',
  });

export type FilesSettings = z.output<typeof filesSettings>;
