import type { Caller } from '@tandem/caller';
import { internalSearchEngine, searchEngines } from '@tandem/search-contract';
import { UsageError } from './admin-arguments.ts';
import type { Connect } from './admin-projections.ts';
import { printTable } from './admin-table.ts';

const environments = ['live', 'sandbox'] as const;

/**
 * Shows what answers the searches of a tenant, in both environments, after choosing it.
 * @param chosen absent to show it only
 * @throws UsageError for another engine than `searchEngines`
 */
export async function searchEngineOf(
  connect: Connect,
  { tenantId, as }: { tenantId: number; as: Pick<Caller, 'requestId'> },
  chosen: string | undefined,
): Promise<boolean> {
  const engine = searchEngines.find((one) => one === chosen);
  if (chosen !== undefined && !engine) throw new UsageError(`"${chosen}" is not one of ${searchEngines.join(', ')}.`);
  const search = connect(internalSearchEngine);
  const rows: string[][] = [];
  for (const environment of environments) {
    const within = { as: { ...as, tenantId, environment } };
    const status = engine
      ? await search.setSearchEngine({ body: { engine }, ...within })
      : await search.getSearchEngine(within);
    rows.push([environment, status.engine, status.state, String(status.waiting)]);
  }
  return printTable(['ENVIRONMENT', 'ANSWERED BY', 'OPENSEARCH', 'DOCUMENTS TO SEND'], rows);
}
