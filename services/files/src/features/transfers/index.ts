import type { transfers } from '@tandem/files-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { completeUpload } from './complete-upload.ts';
import { createPresignedUpload } from './create-presigned-upload.ts';
import { renewPresignedUpload } from './renew-presigned-upload.ts';
import { signParts } from './sign-parts.ts';
import { storeUpload } from './store-upload.ts';

export const transferHandlers = (tools: Tools) =>
  ({
    createPresignedUpload: createPresignedUpload(tools),
    renewPresignedUpload: renewPresignedUpload(tools),
    signParts: signParts(tools),
    completeUpload: completeUpload(tools),
    storeUpload: storeUpload(tools),
  }) satisfies Handlers<typeof transfers, Tx>;
