// The driver for tenants whose searches PostgreSQL answers too slowly: a server with OpenSearch's REST API.
import { createLog } from '@tandem/process';
import { localModel } from '../../embedding/local.ts';
import type { SearchDriver } from '../driver.ts';
import { OpenSearchError } from './client.ts';
import { matchDocuments, raritiesOf, suggestDocuments, type Within } from './find.ts';
import { countFacets, sortedDocuments } from './order.ts';
import { similarDocuments } from './similar.ts';

const log = createLog('search');

/**
 * Searches on the server for one tenant. Whatever looks up single documents or words stays in PostgreSQL, which has the terms
 * of all documents: so it also answers while the server does not, and the rest of a search after the first failure.
 */
export function openSearchDriver(within: Within, postgres: SearchDriver): SearchDriver {
  let hasFailed = false;
  const either = async <T>(onServer: () => Promise<T>, inPostgres: () => Promise<T>): Promise<T> => {
    if (hasFailed) return inPostgres();
    try {
      return await onServer();
    } catch (error) {
      if (!(error instanceof OpenSearchError)) throw error;
      log.warn('OpenSearch did not answer; PostgreSQL does', { error });
      hasFailed = true;
      return inPostgres();
    }
  };
  return {
    ...postgres,
    match: (tx, search, wanting) =>
      either(
        () => matchDocuments(within, tx, search, wanting),
        () => postgres.match(tx, search, wanting),
      ),
    rarities: (tx, search, caller) =>
      either(
        () => raritiesOf(within, search),
        () => postgres.rarities(tx, search, caller),
      ),
    similar: (tx, search, vector) =>
      vector.model === localModel
        ? either(
            () => similarDocuments(within, tx, search, vector),
            () => postgres.similar(tx, search, vector),
          )
        : postgres.similar(tx, search, vector),
    sorted: (tx, search, sort, part) =>
      either(
        () => sortedDocuments(within, tx, search, sort, part),
        () => postgres.sorted(tx, search, sort, part),
      ),
    facets: (tx, search, fields, others) =>
      either(
        () => countFacets(within, search, fields, others),
        () => postgres.facets(tx, search, fields, others),
      ),
    suggest: (tx, search, suggesting) =>
      either(
        () => suggestDocuments(within, tx, search, suggesting),
        () => postgres.suggest(tx, search, suggesting),
      ),
  };
}
