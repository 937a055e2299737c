import type { QueryResult } from 'pg';
import { type Args, type Building, condition, isOf, isRecord, NotPlain, ordering } from './conditions.ts';
import { listQueries, type Operations } from './direct-lists.ts';
import { prismaError } from './errors.ts';
import { delegateName } from './guard.ts';
import type { PageReader } from './list-page.ts';
import { type Lookups, lookupNames } from './lookups.ts';
import type { Field, Model } from './models.ts';
import type { Statement } from './pipelined-query.ts';

type Models = ReadonlyMap<string, Model>;
type Send = (statement: Statement) => Promise<QueryResult>;
type Query = { statement: Statement; read: (result: QueryResult) => unknown };

/**
 * The models of a client, with queries sent directly to PostgreSQL where possible, and through Prisma's engine
 * otherwise. A query through the engine costs several times as much as a direct one. Arguments, results and errors are
 * those of Prisma. Supported: one table, the conditions listed in conditions.ts, plain values. Adds `lockFirst`, which
 * Prisma lacks.
 * @param send sends a statement within the current scope
 * @param throughPrisma called for each query that goes through Prisma's engine
 */
export function directModels(
  client: object,
  models: Models,
  send: Send,
  throughPrisma: (model: string, operation: string) => void,
): object {
  const delegates = client as Record<string, Operations>;
  const lookups = cached(
    async () => new Set((await send({ text: lookupNames, values: [] })).rows.map(({ name }) => name)),
  );
  const columnsOf = (of: Model, select: unknown) => columns(of, select ? chosen(select) : [...of.fields.keys()]);
  const reader: PageReader = { models, columns: columnsOf, send, lookups };
  const faster = [...models.values()].map((model) => {
    const delegate = delegates[delegateName(model.name)] as Operations;
    const direct = model.isPlain ? builders(model, models) : {};
    const names = new Set([...prismaOperations, ...Object.keys(direct)]);
    const operations = [...names].map((name) => [
      name,
      (args: Args = {}) => {
        const query = buildQuery(direct[name], args);
        if (query) return sendQuery(query, send);
        const run = delegate[name];
        if (!run) throw new Error(`${model.name}.${name} supports only plain columns and the listed conditions`);
        throughPrisma(model.name, name);
        return run.call(delegate, args);
      },
    ]);
    const lists = listQueries(model, delegate, reader, throughPrisma);
    return [delegateName(model.name), extended(delegate, { ...Object.fromEntries(operations), ...lists })];
  });
  return extended(client, Object.fromEntries(faster));
}

/** Caches the result of a successful call; a failed one is repeated. */
function cached(ask: () => Promise<Lookups>): () => Promise<Lookups> {
  let known: Promise<Lookups> | undefined;
  return () => {
    known ??= ask().catch((error) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

// Operations that handlers may call and that only Prisma implements.
const prismaOperations = ['findFirstOrThrow', 'aggregate', 'groupBy'];

/** Extends an object. The properties are defined, not assigned: assigning would reach Prisma's proxies. */
function extended(base: object, more: object): object {
  return Object.create(base, Object.getOwnPropertyDescriptors(more));
}

function buildQuery(build: ((args: Args) => Query) | undefined, args: Args): Query | undefined {
  try {
    return build?.(args);
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

async function sendQuery({ statement, read }: Query, send: Send): Promise<unknown> {
  try {
    return read(await send(statement));
  } catch (error) {
    throw prismaError(error);
  }
}

/** The operations that are implemented as SQL; each throws NotPlain for arguments that only Prisma supports. */
function builders(model: Model, models: Models): Record<string, (args: Args) => Query> {
  const all = columns(model, [...model.fields.keys()]);
  const building = (): Building => ({ models, values: [], subqueries: 0 });
  const chosenColumns = (select: unknown) => (select === undefined ? all : columns(model, chosen(select)));

  const select = ({ where, select, orderBy, take, skip, ...other }: Args, limit?: number): Statement => {
    rejectUnknown(other);
    const now = building();
    const order = ordering(model, orderBy);
    const text = [
      `SELECT ${chosenColumns(select)} FROM "${model.table}" WHERE ${condition(model, where, now)}`,
      ...(order ? [`ORDER BY ${order}`] : []),
      ...bound('LIMIT', limit ?? take, now.values),
      ...bound('OFFSET', skip, now.values),
    ].join(' ');
    return { text, values: now.values };
  };
  const update = ({ where, data, ...other }: Args, ending = ''): Statement => {
    rejectUnknown(other);
    const now = building();
    const set = assignments(model, data as Args, now.values);
    const text = `UPDATE "${model.table}" SET ${set} WHERE ${condition(model, where, now)} ${ending}`;
    return { text, values: now.values };
  };
  const rows = ({ rows }: QueryResult) => rows;
  const first = ({ rows }: QueryResult) => rows[0] ?? null;
  const count = ({ rowCount }: QueryResult) => ({ count: rowCount ?? 0 });

  return {
    findFirst(args) {
      if ('take' in args) throw new NotPlain();
      return { statement: select(args, 1), read: first };
    },
    lockFirst({ sharesKey, ...args }) {
      const { text, values } = select(args, 1);
      const lock = sharesKey ? 'FOR NO KEY UPDATE' : 'FOR UPDATE';
      return { statement: { text: `${text} ${lock} OF "${model.table}"`, values }, read: first };
    },
    findMany: (args) => ({ statement: select(args), read: rows }),
    count({ where, ...other }) {
      rejectUnknown(other);
      const now = building();
      const text = `SELECT count(*) AS count FROM "${model.table}" WHERE ${condition(model, where, now)}`;
      return { statement: { text, values: now.values }, read: ({ rows }) => rows[0].count };
    },
    create({ data, select, ...other }) {
      rejectUnknown(other);
      const statement = insertOne(model, data as Args, `RETURNING ${chosenColumns(select)}`);
      return { statement, read: ({ rows }) => rows[0] };
    },
    createMany({ data, skipDuplicates, ...other }) {
      rejectUnknown(other);
      return { statement: insertAll(model, data, skipDuplicates === true), read: count };
    },
    createManyAndReturn({ data, skipDuplicates, select, ...other }) {
      rejectUnknown(other);
      const ending = `RETURNING ${chosenColumns(select)}`;
      return { statement: insertAll(model, data, skipDuplicates === true, ending), read: rows };
    },
    updateMany: (args) => ({ statement: update(args), read: count }),
    updateManyAndReturn({ select, ...args }) {
      return { statement: update(args, `RETURNING ${chosenColumns(select)}`), read: rows };
    },
    deleteMany({ where, ...other }) {
      rejectUnknown(other);
      const now = building();
      const text = `DELETE FROM "${model.table}" WHERE ${condition(model, where, now)}`;
      return { statement: { text, values: now.values }, read: count };
    },
  };
}

function insertOne(model: Model, data: Args, ending: string): Statement {
  const names = Object.keys(data);
  if (!names.length) throw new NotPlain();
  const values = names.map((name) => parameter(field(model, name), data[name]));
  return {
    text: `INSERT INTO "${model.table}" (${names.map((name) => quoted(field(model, name))).join(', ')})
      VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')}) ${ending}`,
    values,
  };
}

function insertAll(model: Model, data: unknown, skipDuplicates: boolean, returning = ''): Statement {
  const rows = (Array.isArray(data) ? data : [data]) as Args[];
  const ending = `${skipDuplicates ? 'ON CONFLICT DO NOTHING ' : ''}${returning}`;
  const [firstRow = {}] = rows;
  if (rows.length === 1) return insertOne(model, firstRow, ending);
  const names = Object.keys(firstRow);
  const isUniform = rows.every((row) => Object.keys(row).length === names.length && names.every((name) => name in row));
  if (!names.length || !isUniform) throw new NotPlain();
  const list = names.map((name) => quoted(field(model, name))).join(', ');
  const records = rows.map((row) =>
    Object.fromEntries(names.map((name) => [field(model, name).column, inJson(field(model, name), row[name])])),
  );
  return {
    // The same text for any number of rows, so that the plan is cached.
    text: `INSERT INTO "${model.table}" (${list})
      SELECT ${list} FROM jsonb_populate_recordset(NULL::"${model.table}", $1) ${ending}`,
    values: [JSON.stringify(records)],
  };
}

function field(model: Model, name: string): Field {
  const found = model.fields.get(name);
  if (!found) throw new NotPlain();
  return found;
}

function quoted({ column }: Field): string {
  return `"${column}"`;
}

function columns(model: Model, names: string[]): string {
  if (!names.length) throw new NotPlain();
  return names.map((name) => `"${model.table}".${quoted(field(model, name))} AS "${name}"`).join(', ');
}

function chosen(select: unknown): string[] {
  // Anything else selects fields of a relation.
  if (Object.values(select as Args).some((isChosen) => typeof isChosen !== 'boolean')) throw new NotPlain();
  return Object.entries(select as Args)
    .filter(([, isChosen]) => isChosen === true)
    .map(([name]) => name);
}

/** Rejects unsupported arguments, which would otherwise be ignored silently. */
function rejectUnknown(other: Args): void {
  if (Object.keys(other).length) throw new NotPlain();
}

function bound(word: 'LIMIT' | 'OFFSET', rows: unknown, values: unknown[]): string[] {
  if (rows === undefined) return [];
  // Prisma reads a negative number from the end.
  if (!Number.isSafeInteger(rows) || Number(rows) < 0) throw new NotPlain();
  return [`${word} $${values.push(rows)}`];
}

/** The SET clause of an update: plain values, increments and decrements. */
function assignments(model: Model, data: Args, values: unknown[]): string {
  const entries = Object.entries(data);
  if (!entries.length) throw new NotPlain();
  const set = entries.map(([name, value]) => {
    const of = field(model, name);
    const column = quoted(of);
    if (of.type === 'Json' || !isRecord(value)) return `${column} = $${values.push(parameter(of, value))}`;
    const [[kind, by] = [], ...more] = Object.entries(value as Args);
    const sign = { increment: '+', decrement: '-' }[kind ?? ''];
    if (!sign || more.length || of.isList || !isOf(of, by) || typeof by !== 'number') throw new NotPlain();
    return `${column} = ${column} ${sign} $${values.push(by)}`;
  });
  const touched = [...model.fields.values()].filter(({ name, isUpdatedAt }) => isUpdatedAt && !(name in data));
  return [...set, ...touched.map((of) => `${quoted(of)} = $${values.push(new Date())}`)].join(', ');
}

/** Converts a value for a column. Prisma's own objects, such as for null inside JSON, are not supported. */
function parameter(of: Field, value: unknown): unknown {
  if (of.type === 'Json') {
    const isJson = Array.isArray(value) || isRecord(value) || ['string', 'number', 'boolean'].includes(typeof value);
    if (of.isList || !isJson) throw new NotPlain();
    return JSON.stringify(value);
  }
  const isWhole = (one: unknown) => isOf(of, one);
  if (of.isList ? Array.isArray(value) && value.every(isWhole) : isWhole(value)) return value;
  if (value === null && of.isNullable) return value;
  throw new NotPlain();
}

/** Converts a value to the form that `jsonb_populate_recordset` reads. */
function inJson(of: Field, value: unknown): unknown {
  // Rejects values that are not plain.
  parameter(of, value);
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value;
}
