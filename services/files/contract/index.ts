// Contract of the files service: uploads, file records and their versions, the text in them, signatures, and download links.
import { personalDataOperations, recordPages } from '@tandem/contract';
import { files as fileRows } from './files.ts';
import { internalFiles } from './internal.ts';
import { internalNames } from './names.ts';
import { ocr } from './ocr.ts';
import { retention } from './retention.ts';
import { signatureRequests } from './signatures-operations.ts';
import { signing } from './signatures-public.ts';
import { transfers } from './transfers.ts';
import { fileVersions } from './versions.ts';

export * from './file.ts';
export * from './files.ts';
export * from './internal.ts';
export * from './names.ts';
export * from './ocr.ts';
export * from './retention.ts';
export * from './signatures.ts';
export * from './signatures-operations.ts';
export * from './signatures-public.ts';
export * from './transfers.ts';
export * from './versions.ts';

export const files = {
  ...fileRows,
  ...signatureRequests,
  ...signing,
  ...retention,
  ...transfers,
  ...fileVersions,
  ...ocr,
  ...internalFiles,
  ...internalNames,
  ...recordPages,
  ...personalDataOperations,
};
