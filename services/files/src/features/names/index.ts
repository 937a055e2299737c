import type { internalNames } from '@tandem/files-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { nameFiles } from './name-files.ts';

export const nameHandlers = { nameFiles } satisfies Handlers<typeof internalNames, Tx>;
