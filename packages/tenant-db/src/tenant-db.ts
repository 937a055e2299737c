import { PrismaPg } from '@prisma/adapter-pg';
import { type Metrics, outgoingGuard, type SpanStart, withSpan } from '@tandem/process';
import pg from 'pg';
import { directModels } from './direct.ts';
import { guardModels } from './guard.ts';
import type { FoundPage } from './list-page.ts';
import { readModels } from './models.ts';
import type { ModelFields, Narrowing } from './narrowing.ts';
import type { PageArgs } from './page-args.ts';
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
       * The first record that matches, locked until the transaction ends, so that nobody changes it between the read and
       * the write. Plain columns and comparisons only.
       */
      lockFirst(args: {
        where: NonNullable<Count> extends { where?: infer Where } ? Where : never;
      }): Promise<Awaited<Found>>;
      /** One page of a list; list-page.ts says how it is read. */
      findPage(args: PageArgs): Promise<FoundPage<NonNullable<Awaited<Found>>>>;
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
  /**
   * Runs `work` under a scope, without a transaction. No scope means the tables that belong to no tenant.
   * @throws inside a transaction, which it would silently leave
   */
  within<T>(scope: Scope | undefined, work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work` under a scope in one transaction.
   * @param last a statement for the end of it, which then costs no round trip of its own
   */
  transaction<T>(scope: Scope | undefined, work: () => Promise<T>, last?: () => Statement | undefined): Promise<T>;
  /** Whether a transaction is open in this asynchronous context. */
  inTransaction(): boolean;
  /** Throws while the database cannot be reached, or is not the primary. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

// Statements get a name each, so that PostgreSQL parses and plans them once per connection; the bound keeps a query
// with an ever changing text from filling the connection's memory.
const namedStatementsMax = 1_000;
const poolMaxDefault = 10;
const backgroundMaxDefault = 3;
const poolName = 'requests';

const transactionSpan: SpanStart = {
  name: 'transaction',
  kind: 'client',
  attributes: { 'db.system.name': 'postgresql' },
};

// A bigint leaves the driver as a number: ids stay below 2^40 (D12).
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const [int4Array, int8Array] = [1007, 1016];
pg.types.setTypeParser(int8Array as number, pg.types.getTypeParser(int4Array as number));

// Longer than the statement timeout of the service's role (5 s): a statement that PostgreSQL ends costs no connection.
const queryTimeoutMs = 6_000;

// A call to another system inside a transaction would hold a connection and locks for as long as it takes.
outgoingGuard.refuseWhile(() => (running.getStore()?.transaction ? 'a database transaction is open' : undefined));

/**
 * Opens the tenant-bound database of a service.
 * @param options.url under a role that owns nothing and cannot bypass row-level security
 * @param options.poolMax how many connections the pool opens at most; 10 by default
 * @param options.backgroundMax how many of them `inBackground` work may hold at once; 3 by default
 * @param options.client creates the service's Prisma client on an adapter
 * @param options.prisma the `Prisma` namespace of the generated client, which lists the fields of each model
 * @param options.narrowing for every tenant model, which records a caller reaches who is narrowed to own or team
 *   records; without it a narrowed caller's query throws
 * @param options.namedStatements false behind a pooler in transaction mode that does not track prepared statements,
 *   such as PgBouncer before 1.21
 * @param options.throughPrisma called for each query that goes through Prisma's engine
 * @param options.metrics of the process, for the pool `requests`
 * @param options.engine `prisma` sends every query through Prisma's engine: for comparing the two
 * @throws when some tenant tables have an environment and others do not, or the narrowing contradicts itself
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

  return {
    tx: Object.assign(Object.create(raw), models, { sql }) as Tx<Client>,
    separatesEnvironments: separatesEnvironments(fields),
    async within(scope, work) {
      if (running.getStore()?.transaction) throw new Error('Work under another scope inside a transaction');
      // Prisma's promises begin only when awaited, which must be inside the scope.
      return running.run({ scope }, async () => await work());
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

/** A constant part of SQL that several statements share. */
export class Fragment {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A constant part of SQL by template. It takes other parts but no values: those are parameters of the statement. */
export function fragment(strings: TemplateStringsArray, ...parts: Fragment[]): Fragment {
  return new Fragment(strings.reduce((all, text, index) => `${all}${(parts[index - 1] as Fragment).text}${text}`));
}

/** A statement by template, to be sent later: `${}` become parameters, except for fragments, which become part of the text. */
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
