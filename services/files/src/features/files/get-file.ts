import type { files } from '@tandem/files-contract';
import type { Handler } from '../../handler.ts';
import { asFile, findPresent } from './file.ts';

export const getFile: Handler<typeof files.getFile> = async ({ params, tx }) =>
  asFile(await findPresent(tx, params.id));
