// What files offers: uploads, their records, and links to download them.
import { files as fileRows } from './files.ts';
import { internalFiles } from './internal.ts';

export * from './files.ts';
export * from './internal.ts';

export const files = { ...fileRows, ...internalFiles };
