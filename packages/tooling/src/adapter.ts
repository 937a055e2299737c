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

/**
 * The schema engine's connection to a server. The engine leaves its connections open, so the caller must close them.
 */
export interface EngineAdapter {
  factory: SqlMigrationAwareDriverAdapterFactory;
  close(): Promise<void>;
}

/**
 * Adapts Prisma's pg adapter to the schema engine. Unchanged, the adapter opens the named database itself instead of a
 * shadow database, splits scripts at every semicolon (even inside strings and functions), does not know "char" (a type
 * of the system catalogue), and keeps its connections open.
 */
export function engineAdapter(url: string): EngineAdapter {
  const pools: pg.Pool[] = [];
  const shadows: string[] = [];
  const open = async (address: string): Promise<SqlDriverAdapter> => {
    const pool = new pg.Pool({ connectionString: address, max: 2, application_name: 'tandem migrations' });
    pools.push(pool);
    const adapter = await new PrismaPg(pool).connect();
    supportChar(pool, adapter);
    // Without parameters the whole script goes to the server as one query, which is also one transaction.
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
 * Supports "char" columns: they are transferred as text, but the result must declare them as characters, or the engine
 * panics with "unreachable".
 */
function supportChar(pool: pg.Pool, adapter: SqlDriverAdapter): void {
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<pg.QueryResult | pg.QueryResult[]>;
  const queryRaw = adapter.queryRaw.bind(adapter);
  // Set during one synchronous call only: `queryRaw` reaches `query` before its first await.
  let charColumns: Set<number> | undefined;
  const queryWithChars = async (...args: unknown[]) => {
    const columns = charColumns;
    const result = await query(...args);
    for (const { fields } of [result].flat()) {
      for (const [index, field] of fields.entries()) {
        if (field.dataTypeID !== charType) continue;
        columns?.add(index);
        field.dataTypeID = textType;
      }
    }
    return result;
  };
  Object.assign(pool, { query: queryWithChars });
  adapter.queryRaw = async (params) => {
    const columns = new Set<number>();
    charColumns = columns;
    const pending = queryRaw(params);
    charColumns = undefined;
    const result = await pending;
    const columnTypes = result.columnTypes.map((type, index) => (columns.has(index) ? ColumnTypeEnum.Character : type));
    return { ...result, columnTypes };
  };
}
