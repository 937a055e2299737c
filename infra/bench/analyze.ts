import pg from 'pg';
import type { Place } from './place.ts';

/**
 * Runs VACUUM ANALYZE in every database, as autovacuum would within a minute. Until then, plans made for empty tables stay
 * in use.
 */
export async function analyze(place: Place): Promise<void> {
  for (const { name } of place.members.filter(({ hasDatabase }) => hasDatabase)) {
    const client = new pg.Client({ connectionString: place.databaseUrl(name) });
    await client.connect();
    try {
      await client.query('VACUUM ANALYZE');
    } finally {
      await client.end();
    }
  }
}
