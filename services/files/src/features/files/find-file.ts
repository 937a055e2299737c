import type { internalFiles } from '@tandem/files-contract';
import type { Handler } from '../../handler.ts';
import { asFile, findPresent } from './file.ts';

export const findFile: Handler<typeof internalFiles.findFile> = async ({ params, tx }) =>
  asFile(await findPresent(tx, params.id));
