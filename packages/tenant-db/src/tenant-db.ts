import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { directModels } from './direct.ts';
import { guardModels, type ModelFields, type OwnedThrough } from './guard.ts';
import type { Statement } from './led.ts';
import { readModels } from './models.ts';
import { ScopedPool } from './pool.ts';
import { running, type Scope } from './scope.ts';

type Unscopable = 'findUnique' | 'findUniqueOrThrow' | 'update' | 'upsert' | 'delete';
type Models<Client> = {
  [K in keyof Client as K extends `$${string}` | symbol ? never : K]: Omit<Client[K], Unscopable> & Lockable<Client[K]>;
};
type Lockable<Delegate> = Delegate extends { findFirst(...args: never): infer Found; count(args: infer Count): unknown }
  ? {
      /**
       * The first record that fits, locked until the transaction ends: what is decided about it still holds when it is
       * written. Plain columns and comparisons only.
       */
      lockFirst(args: {
        where: NonNullable<Count> extends { where?: infer Where } ? Where : never;
      }): Promise<Awaited<Found>>;
    }
  : unknown;

/** SQL by template: `${}` become parameters. bigint columns come back as numbers, timestamps as Dates. */
export type Sql = <Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) => Promise<Row[]>;

/** The database as a handler sees it: the models of its service within the caller's scope, and SQL under the same scope. */
export type Tx<Client> = Models<Client> & {
  sql: Sql;
};

export interface TenantDb<Client> {
  /** The bound client; every use needs a scope around it. */
  tx: Tx<Client>;
  /** Whether live and sandbox are two sets of data here; if not, a tenant has one set that both see. */
  separatesEnvironments: boolean;
  /** Runs `work` under a scope, without a transaction. No scope means the tables that belong to no tenant. */
  within<T>(scope: Scope | undefined, work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work` under a scope in one transaction.
   * @param last a statement for the end of it, which then costs no round trip of its own
   */
  transaction<T>(scope: Scope | undefined, work: () => Promise<T>, last?: () => Statement | undefined): Promise<T>;
  /** Whether a transaction is open at this moment: nothing may leave the process then. */
  inTransaction(): boolean;
  /** Throws while the database cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

// Statements get a name each, so that PostgreSQL parses and plans them once per connection; the bound keeps a query
// with an ever changing text from filling the connection's memory.
const namedStatementsMax = 1_000;
const poolMax = 10;

// A bigint leaves the driver as a number: ids stay below 2^40 (D12).
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const [int4Array, int8Array] = [1007, 1016];
pg.types.setTypeParser(int8Array as number, pg.types.getTypeParser(int4Array as number));

/**
 * Opens the tenant-bound database of a service.
 * @param options.url under a role that owns nothing and cannot bypass row-level security
 * @param options.client makes the service's Prisma client on the given adapter
 * @param options.prisma the `Prisma` namespace of the generated client, which lists the fields of each model
 * @param options.owners fields that name the owner of a record, for callers narrowed to their own
 * @param options.ownedThrough models that belong to whoever has the records they relate to: model → relation → its model
 * @throws when some tenant tables have an environment and others do not
 */
export function createTenantDb<Client>(options: {
  url: string;
  client: (adapter: PrismaPg) => Client;
  prisma: object;
  owners?: readonly string[];
  ownedThrough?: OwnedThrough;
}): TenantDb<Client> {
  const pool = new ScopedPool({
    connectionString: options.url,
    max: poolMax,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    options: '-c statement_timeout=5000 -c lock_timeout=2000 -c idle_in_transaction_session_timeout=10000',
  });
  // An idle connection that the server closes is replaced at the next query.
  pool.on('error', () => {});
  const statementName = statementNames();
  const adapter = new PrismaPg(pool, { statementNameGenerator: (query) => statementName(query.sql) });
  const raw = options.client(adapter) as Client & { $disconnect(): Promise<void> };
  const fields = fieldsOf(options.prisma);
  const named = (statement: Statement) => ({ ...statement, name: statementName(statement.text) });
  const send = (statement: Statement): Promise<pg.QueryResult> => pool.query(named(statement));
  const direct = directModels(raw, readModels(schemaOf(raw)), send);
  const models = guardModels(direct, {
    models: fields,
    owners: options.owners ?? [],
    ownedThrough: options.ownedThrough ?? {},
  }) as Models<Client>;
  const sql: Sql = async (strings, ...values) => (await send(statement(strings, ...values))).rows;

  return {
    tx: Object.assign(Object.create(raw), models, { sql }) as Tx<Client>,
    separatesEnvironments: separatesEnvironments(fields),
    // Prisma's promises begin only when awaited, which must be inside the scope.
    within: (scope, work) => running.run({ scope }, async () => await work()),
    transaction: (scope, work, last) =>
      pool.transaction(scope, work, () => {
        const end = last?.();
        return end && named(end);
      }),
    inTransaction: () => running.getStore()?.client !== undefined,
    ping: () => running.run({ scope: undefined }, () => pool.query('SELECT 1')),
    async close() {
      await raw.$disconnect();
      await pool.end();
    },
  };
}

/** A statement by template, to be sent later: `${}` become parameters. */
export function statement(strings: TemplateStringsArray, ...values: unknown[]): Statement {
  return { text: strings.reduce((all, part, index) => `${all}$${index}${part}`), values };
}

/** The schema a client was generated from, as Prisma 7 keeps it; without it every query goes through Prisma. */
function schemaOf(client: object): string {
  return (client as { _engineConfig?: { inlineSchema?: string } })._engineConfig?.inlineSchema ?? '';
}

function fieldsOf(prisma: object): ModelFields {
  const namespace = prisma as Record<string, Record<string, string>>;
  return Object.fromEntries(
    Object.keys(namespace.ModelName ?? {}).map((model) => [
      model,
      Object.keys(namespace[`${model}ScalarFieldEnum`] ?? {}),
    ]),
  );
}

/** All tenant tables of a service have an environment or none: who may write what a sandbox shares follows from it. */
function separatesEnvironments(models: ModelFields): boolean {
  const ofTenants = Object.entries(models).filter(([, fields]) => fields.includes('tenantId'));
  const [separate = [], shared = []] = [true, false].map((wanted) =>
    ofTenants.filter(([, fields]) => fields.includes('environment') === wanted).map(([model]) => model),
  );
  if (separate.length && shared.length)
    throw new Error(
      `Without environment: ${shared.join(', ')}; with: ${separate.join(', ')}. Give it to all or to none`,
    );
  return !shared.length;
}

/** A name per statement text; the empty name, which PostgreSQL does not keep, once there are too many. */
function statementNames(): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= namedStatementsMax) return '';
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
}
