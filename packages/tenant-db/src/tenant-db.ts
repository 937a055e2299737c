import { PrismaPg } from '@prisma/adapter-pg';
import { type Metrics, outgoingGuard, type SpanStart, withSpan } from '@tandem/process';
import pg from 'pg';
import { directModels } from './direct.ts';
import { guardModels } from './guard.ts';

import { readModels } from './models.ts';
import type { ModelFields, Narrowing } from './narrowing.ts';
import type { FoundPage, IdsArgs, PageArgs } from './page-args.ts';
import type { Statement } from './pipelined-query.ts';
import { ScopedPool } from './pool.ts';
import { measureWaits, watchPool } from './pool-metrics.ts';
import { running, type Scope } from './scope.ts';

type Unscopable = 'findUnique' | 'findUniqueOrThrow' | 'update' | 'upsert' | 'delete';
type Models<Client> = {
  [K in keyof Client as K extends `$${string}` | symbol ? never : K]: Omit<Client[K], Unscopable> & Lockable<Client[K]>;
};
type Lockable<Delegate> = Delegate extends { findFirst(...args: never): infer Found; count(args: infer Count): unknown }
  ? {
      /**
       * The first matching record, locked until the transaction ends, so that it cannot change between read and write.
       * Plain columns and comparisons only.
       * @param args.sharesKey whether rows that refer to the record may be written meanwhile (`FOR NO KEY UPDATE`): for a
       * record that is locked first by some requests, and referred to by others that hold further locks
       */
      lockFirst(args: {
        where: NonNullable<Count> extends { where?: infer Where } ? Where : never;
        sharesKey?: true;
      }): Promise<Awaited<Found>>;
      /** One page of a list; see list-page.ts. */
      findPage(args: PageArgs): Promise<FoundPage<NonNullable<Awaited<Found>>>>;
      /** The total of a list without a page; undefined when there are more records than are counted exactly. */
      countPage(args: PageArgs): Promise<number | undefined>;
      /** The first ids of the records that match, in order. */
      findIds(args: IdsArgs): Promise<number[]>;
    }
  : unknown;

/** SQL by template: `${}` become parameters. bigint columns come back as numbers, timestamps as Dates. */
export type Sql = <Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) => Promise<Row[]>;

/**
 * The database as a handler sees it: the models of its service within the caller's scope, and SQL under the same scope.
 */
export type Tx<Client> = Models<Client> & {
  sql: Sql;
  /**
   * The same for a statement that reads thousands of rows, whose best plan depends on its values. PostgreSQL plans it each time,
   * while it plans a statement of `sql` for any values from the sixth time on.
   */
  adHocSql: Sql;
};

export interface TenantDb<Client> {
  /** The bound client; every use requires a surrounding scope. */
  tx: Tx<Client>;
  /** Whether live and sandbox are separate data sets in this service; if not, both see the same data of a tenant. */
  separatesEnvironments: boolean;
  /**
   * Runs `work` under a scope, without a transaction. Without a scope only tables without a tenant are accessible.
   * @throws inside a transaction, which it would silently leave
   */
  within<T>(scope: Scope | undefined, work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work` under a scope in one transaction.
   * @param last returns a statement to send together with the commit, which saves a round trip
   */
  transaction<T>(scope: Scope | undefined, work: () => Promise<T>, last?: () => Statement | undefined): Promise<T>;
  /** Whether a transaction is open in this asynchronous context. */
  inTransaction(): boolean;
  /** Throws while the database is unreachable, or not the primary. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

// Statements are named, so that PostgreSQL parses and plans them once per connection; the limit keeps a query with
// varying text from filling the connection's memory.
const namedStatementsMax = 1_000;
const poolMaxDefault = 10;
const backgroundMaxDefault = 3;
const poolName = 'requests';

const transactionSpan: SpanStart = {
  name: 'transaction',
  kind: 'client',
  attributes: { 'db.system.name': 'postgresql' },
};

// The driver returns bigint as number: ids stay below 2^40 (D12).
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const [int4Array, int8Array] = [1007, 1016];
pg.types.setTypeParser(int8Array as number, pg.types.getTypeParser(int4Array as number));

// Longer than the statement timeout of the service's role (5 s), so that a statement PostgreSQL cancels costs no
// connection.
const queryTimeoutMs = 6_000;

// A call to another system inside a transaction would hold a connection and locks for its whole duration.
outgoingGuard.rejectWhile(() => (running.getStore()?.transaction ? 'a database transaction is open' : undefined));

/**
 * Opens the tenant-bound database of a service.
 * @param options.url under a role that owns nothing and cannot bypass row-level security
 * @param options.poolMax maximum number of connections; 10 by default
 * @param options.backgroundMax how many of them `inBackground` work may use at once; 3 by default
 * @param options.client creates the service's Prisma client on an adapter
 * @param options.prisma the `Prisma` namespace of the generated client, which lists the fields of each model
 * @param options.narrowing for every tenant model, the records that a caller narrowed to own or team records may
 * access; without it a narrowed caller's query throws
 * @param options.namedStatements false behind a pooler in transaction mode that does not track prepared statements,
 * such as PgBouncer before 1.21
 * @param options.throughPrisma called for each query that goes through Prisma's engine
 * @param options.metrics of the process, for the pool `requests`
 * @param options.engine `prisma` sends every query through Prisma's engine, to compare the two
 * @throws when only some tenant tables have an environment, or the narrowing contradicts itself
 */
export function createTenantDb<Client>(options: {
  url: string;
  poolMax?: number;
  backgroundMax?: number;
  client: (adapter: PrismaPg) => Client;
  prisma: object;
  narrowing?: Readonly<Record<string, Narrowing>> | undefined;
  namedStatements?: boolean;
  throughPrisma?: (model: string, operation: string) => void;
  engine?: 'direct' | 'prisma';
  metrics?: Metrics;
}): TenantDb<Client> {
  const { namedStatements = true, throughPrisma = () => {}, engine = 'direct', metrics } = options;
  const pool = new ScopedPool({
    connectionString: options.url,
    max: options.poolMax ?? poolMaxDefault,
    backgroundMax: options.backgroundMax ?? backgroundMaxDefault,
    idleTimeoutMillis: 60_000,
    query_timeout: queryTimeoutMs,
    isNamed: namedStatements,
    waits: metrics && measureWaits(metrics, poolName),
  });
  if (metrics) watchPool(metrics, poolName, pool);
  const statementName = namedStatements ? statementNames() : () => '';
  const adapter = new PrismaPg(pool, { statementNameGenerator: (query) => statementName(query.sql) });
  const raw = options.client(adapter) as Client & { $disconnect(): Promise<void> };
  const fields = fieldsOf(options.prisma);
  const named = (statement: Statement) => ({ ...statement, name: statementName(statement.text) });
  const send = (statement: Statement): Promise<pg.QueryResult> => pool.query(named(statement));
  const schema = readModels(schemaOf(raw));
  const client = engine === 'prisma' ? raw : directModels(raw, schema, send, throughPrisma);
  const models = guardModels(client, {
    models: fields,
    relations: (model) => schema.get(model)?.relations,
    narrowing: options.narrowing,
  }) as Models<Client>;
  const sql: Sql = async (strings, ...values) => (await send(statement(strings, ...values))).rows;
  const adHocSql: Sql = async (strings, ...values) => (await pool.query(statement(strings, ...values))).rows;

  return {
    tx: Object.assign(Object.create(raw), models, { sql, adHocSql }) as Tx<Client>,
    separatesEnvironments: separatesEnvironments(fields),
    async within(scope, work) {
      const current = running.getStore();
      const transaction = current?.transaction;
      // The scope of a transaction is set in the database; only the narrowing is a part of each query.
      if (transaction && !isSameTenant(current.scope, scope))
        throw new Error('Inside a transaction, only the narrowing of its scope can change');
      // Prisma's promises start when awaited, which must be inside the scope.
      return running.run({ scope, ...(transaction && { transaction }) }, async () => await work());
    },
    transaction: (scope, work, last) =>
      withSpan(transactionSpan, () =>
        pool.transaction(scope, work, () => {
          const end = last?.();
          return end && named(end);
        }),
      ),
    inTransaction: () => running.getStore()?.transaction !== undefined,
    async ping() {
      const { rows } = await running.run({ scope: undefined }, () => pool.query('SHOW transaction_read_only'));
      if (rows[0].transaction_read_only !== 'on') return;
      pool.dropIdle();
      throw Object.assign(new Error('The database is read-only: it is not the primary'), { code: '25006' });
    },
    async close() {
      await raw.$disconnect();
      await pool.end();
    },
  };
}

function isSameTenant(one: Scope | undefined, other: Scope | undefined): boolean {
  return one?.tenantId === other?.tenantId && one?.environment === other?.environment;
}

/** A constant part of SQL that several statements share. */
export class Fragment {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Creates a constant part of SQL from a template. It takes other parts but no values, which must be parameters of the statement. */
export function fragment(strings: TemplateStringsArray, ...parts: Fragment[]): Fragment {
  return new Fragment(strings.reduce((all, text, index) => `${all}${(parts[index - 1] as Fragment).text}${text}`));
}

/**
 * Creates a statement from a template, to be sent later: `${}` become parameters, and fragments become part of the
 * text.
 */
export function statement(strings: TemplateStringsArray, ...values: unknown[]): Statement {
  const parameters: unknown[] = [];
  const text = strings.reduce((all, part, index) => {
    const value = values[index - 1];
    return `${all}${value instanceof Fragment ? value.text : `$${parameters.push(value)}`}${part}`;
  });
  return { text, values: parameters };
}

/** The schema a client was generated from, where Prisma 7 keeps it. */
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

/**
 * Whether the tenant tables have an environment column. They must agree, because shared data is read-only for sandbox
 * keys.
 */
function separatesEnvironments(models: ModelFields): boolean {
  const ofTenants = Object.entries(models).filter(([, fields]) => fields.includes('tenantId'));
  const [separate = [], shared = []] = [true, false].map((wanted) =>
    ofTenants.filter(([, fields]) => fields.includes('environment') === wanted).map(([model]) => model),
  );
  if (separate.length && shared.length)
    throw new Error(
      `Without environment: ${shared.join(', ')}; with: ${separate.join(', ')}. Declare it in all of them or in none`,
    );
  return !shared.length;
}

/** Assigns a name per statement text; empty, which PostgreSQL does not cache, once there are too many. */
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
