// Contract of the files service: uploads, file records and their versions, and download links.
import { personalDataOperations } from '@tandem/contract';
import { files as fileRows } from './files.ts';
import { internalFiles } from './internal.ts';
import { internalNames } from './names.ts';
import { fileVersions } from './versions.ts';

export * from './file.ts';
export * from './files.ts';
export * from './internal.ts';
export * from './names.ts';
export * from './versions.ts';

export const files = { ...fileRows, ...fileVersions, ...internalFiles, ...internalNames, ...personalDataOperations };
