import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { quoteName, withDatabase } from './roles.ts';

const charType = 18;
const textType = 25;

/** The engine's way to a server, and how to end its connections: the engine leaves them open. */
export interface EngineAdapter {
  factory: SqlMigrationAwareDriverAdapterFactory;
  close(): Promise<void>;
}

/**
 * Prisma's adapter as the schema engine needs it. As it comes it opens the named database itself in place of a shadow
 * one, cuts scripts apart at every semicolon (in texts and functions too), knows no "char" (the catalogue's own type),
 * and keeps its connections.
 */
export function engineAdapter(url: string): EngineAdapter {
  const pools: pg.Pool[] = [];
  const shadows: string[] = [];
  const open = async (address: string): Promise<SqlDriverAdapter> => {
    const pool = new pg.Pool({ connectionString: address, max: 2, application_name: 'tandem migrations' });
    pools.push(pool);
    const adapter = await new PrismaPg(pool).connect();
    knowChar(pool, adapter);
    // Without values the whole script goes to the server as one query, which is also one transaction.
    adapter.executeScript = async (sql) => void (await adapter.executeRaw({ sql, args: [], argTypes: [] }));
    adapter.dispose = async () => undefined;
    return adapter;
  };
  const openShadow = async (): Promise<SqlDriverAdapter> => {
    const name = `tandem_shadow_${randomUUID()}`;
    const { executeScript } = await open(url);
    await executeScript(`CREATE DATABASE ${quoteName(name)}`);
    shadows.push(name);
    return open(withDatabase(url, name));
  };
  const close = async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    if (shadows.length > 0) await dropAll(url, shadows);
  };
  return {
    factory: { provider: 'postgres', adapterName: 'tandem', connect: () => open(url), connectToShadowDb: openShadow },
    close,
  };
}

async function dropAll(url: string, databases: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const name of databases) await client.query(`DROP DATABASE IF EXISTS ${quoteName(name)} WITH (FORCE)`);
  await client.end();
}

/**
 * A "char" passes through the adapter as text, and its column is named for what it is in the answer; taken as text the
 * engine would end with "unreachable".
 */
function knowChar(pool: pg.Pool, adapter: SqlDriverAdapter): void {
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<pg.QueryResult | pg.QueryResult[]>;
  const queryRaw = adapter.queryRaw.bind(adapter);
  // Set for the length of one synchronous call: `queryRaw` reaches `query` before it first waits.
  let places: Set<number> | undefined;
  const translated = async (...args: unknown[]) => {
    const mine = places;
    const answer = await query(...args);
    for (const { fields } of [answer].flat()) {
      for (const [place, field] of fields.entries()) {
        if (field.dataTypeID !== charType) continue;
        mine?.add(place);
        field.dataTypeID = textType;
      }
    }
    return answer;
  };
  Object.assign(pool, { query: translated });
  adapter.queryRaw = async (params) => {
    const mine = new Set<number>();
    places = mine;
    const answering = queryRaw(params);
    places = undefined;
    const answer = await answering;
    const columnTypes = answer.columnTypes.map((type, place) => (mine.has(place) ? ColumnTypeEnum.Character : type));
    return { ...answer, columnTypes };
  };
}
