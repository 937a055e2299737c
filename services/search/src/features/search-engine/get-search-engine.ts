import type { internalSearchEngine } from '@tandem/search-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { statusOf } from './engine.ts';

export const getSearchEngine: Handler<typeof internalSearchEngine.getSearchEngine> = async ({ caller, tx }) => {
  if (caller.tenantId === undefined) throw fail('not_found');
  return statusOf(tx);
};
