import type { duplicates } from '@tandem/search-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { dismissDuplicatePair } from './dismiss-duplicate-pair.ts';
import { findDuplicates } from './find-duplicates.ts';
import { listDuplicates } from './list-duplicates.ts';

export const duplicateHandlers = (tools: Tools) =>
  ({
    listDuplicates: listDuplicates(tools),
    findDuplicates: findDuplicates(tools),
    dismissDuplicatePair: dismissDuplicatePair(tools),
  }) satisfies Handlers<typeof duplicates, Tx>;
