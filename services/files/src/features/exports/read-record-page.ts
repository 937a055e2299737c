import { files } from '@tandem/files-contract';
import { recordPagesHandler } from '@tandem/service';
import { listFiles } from '../files/list-files.ts';

/** The lists of files that other services export. */
export const readRecordPage = recordPagesHandler([{ row: files.listFiles, handler: listFiles }]);
