// Contract of the files service: uploads, file records and their versions, the text in them, and download links.
import { personalDataOperations } from '@tandem/contract';
import { files as fileRows } from './files.ts';
import { internalFiles } from './internal.ts';
import { internalNames } from './names.ts';
import { ocr } from './ocr.ts';
import { retention } from './retention.ts';
import { transfers } from './transfers.ts';
import { fileVersions } from './versions.ts';

export * from './file.ts';
export * from './files.ts';
export * from './internal.ts';
export * from './names.ts';
export * from './ocr.ts';
export * from './retention.ts';
export * from './transfers.ts';
export * from './versions.ts';

export const files = {
  ...fileRows,
  ...retention,
  ...transfers,
  ...fileVersions,
  ...ocr,
  ...internalFiles,
  ...internalNames,
  ...personalDataOperations,
};
