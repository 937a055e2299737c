import type { duplicates } from '@tandem/search-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { findDuplicates } from './find-duplicates.ts';

export const duplicateHandlers = (tools: Tools) =>
  ({
    findDuplicates: findDuplicates(tools),
  }) satisfies Handlers<typeof duplicates, Tx>;
