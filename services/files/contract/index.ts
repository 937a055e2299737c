// Contract of the files service: uploads, file records and download links.
import { personalDataOperations } from '@tandem/contract';
import { files as fileRows } from './files.ts';
import { internalFiles } from './internal.ts';
import { internalNames } from './names.ts';

export * from './files.ts';
export * from './internal.ts';
export * from './names.ts';

export const files = { ...fileRows, ...internalFiles, ...internalNames, ...personalDataOperations };
