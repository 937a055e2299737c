// Contract of the files service: uploads, file records and download links.
import { files as fileRows } from './files.ts';
import { internalFiles } from './internal.ts';
import { internalNames } from './names.ts';

export * from './files.ts';
export * from './internal.ts';
export * from './names.ts';

export const files = { ...fileRows, ...internalFiles, ...internalNames };
