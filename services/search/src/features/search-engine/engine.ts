import type { internalSearchEngine } from '@tandem/search-contract';
import type { z } from 'zod';
import type { Tx } from '../../database.ts';
import { excludeWriters } from '../../driver/postgres/generations.ts';

/** A tenant whose searches OpenSearch answers, or is going to answer. */
export interface Engine {
  state: 'filling' | 'live' | 'leaving';
  /** The id of the last document that was sent; null when all were. */
  filledTo: number | null;
  /** The version of the documents that a filling sends. */
  version: number;
  filledAt: Date | null;
}

type EngineStatus = z.output<typeof internalSearchEngine.getSearchEngine.reply>;

const countMax = 10_000;

export async function readEngine(tx: Tx): Promise<Engine | undefined> {
  const [engine] = await tx.sql<Engine>`
    SELECT state, filled_to AS "filledTo", version, filled_at AS "filledAt" FROM search_engine`;
  return engine;
}

export async function statusOf(tx: Tx): Promise<EngineStatus> {
  const engine = await readEngine(tx);
  const [row] = await tx.sql<{ waiting: number }>`SELECT count(*)::int AS waiting
    FROM (SELECT FROM index_change LIMIT ${countMax}::int) AS change`;
  const answers = engine?.state === 'live' ? 'opensearch' : 'postgres';
  return { engine: answers, state: engine?.state ?? 'off', waiting: row?.waiting ?? 0 };
}

/** Whether OpenSearch, if the tenant has it, still lacks changes up to this one. */
export async function isServerBehind(tx: Tx, changeId: number): Promise<boolean> {
  const [row] = await tx.sql<{ isBehind: boolean }>`SELECT EXISTS (SELECT FROM search_engine)
    AND EXISTS (SELECT FROM index_change WHERE id <= ${changeId}::bigint) AS "isBehind"`;
  return row?.isBehind ?? false;
}

/**
 * Sends all documents again, from the first one. Changes of the writers that follow have higher versions: they wait until the
 * commit.
 * @returns whether nothing was sent before, so that the job has to be scheduled
 */
export async function beginFilling(tx: Tx): Promise<boolean> {
  await excludeWriters(tx);
  const [row] = await tx.sql<{ before: Engine['state'] | null }>`
    INSERT INTO search_engine (version) VALUES (nextval('index_change_id_seq'))
    ON CONFLICT (tenant_id, environment) DO UPDATE SET version = excluded.version, filled_to = 0, filled_at = NULL,
      -- One that answers continues to: it has nearly all documents.
      state = CASE search_engine.state WHEN 'live' THEN 'live' ELSE 'filling' END
    RETURNING old.state AS before`;
  return row?.before === null;
}
