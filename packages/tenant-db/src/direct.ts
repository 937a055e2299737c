import type { QueryResult } from 'pg';
import { delegateName } from './guard.ts';
import type { Statement } from './led.ts';
import type { Field, Model } from './models.ts';

type Send = (statement: Statement) => Promise<QueryResult>;
type Args = Record<string, unknown>;

type Operations = Record<string, (args: Args) => PromiseLike<unknown>>;

/**
 * The models of a client whose queries go to PostgreSQL directly where they can, and through Prisma otherwise.
 * @param send sends a statement within the scope of the moment
 */
export function directModels(client: object, models: readonly Model[], send: Send): object {
  const delegates = client as Record<string, Operations>;
  const faster = models.map((model) => {
    const delegate = delegates[delegateName(model.name)] as Operations;
    const operations = Object.entries(directly(model, send)).map(([name, run]) => [
      name,
      (args: Args = {}) => run(args) ?? left(delegate, name, args),
    ]);
    return [delegateName(model.name), over(delegate, Object.fromEntries(operations))];
  });
  return over(client, Object.fromEntries(faster));
}

/** What is not plain is Prisma's to answer, if it knows the operation. */
function left(delegate: Operations, name: string, args: Args): PromiseLike<unknown> {
  const run = delegate[name];
  if (!run) throw new Error(`${name} takes plain columns and comparisons only`);
  return run(args);
}

/** An object with more properties than `base`. They are defined, not assigned: assigning would reach Prisma's proxies. */
function over(base: object, more: object): object {
  return Object.create(base, Object.getOwnPropertyDescriptors(more));
}

/** Thrown inside while a statement is built, for arguments that are left to Prisma. */
class NotPlain extends Error {}

/**
 * The queries that make up nearly all of a service's traffic, as SQL of our own: a query through Prisma costs a
 * service twice as much as the query itself (infra/bench/notes.md). Arguments and results are Prisma's, for plain columns,
 * plain comparisons and one table. An operation resolves to undefined at once
 * when the arguments are anything else.
 */
function directly(model: Model, send: Send): Record<string, (args: Args) => Promise<unknown> | undefined> {
  if (!model.isPlain) return {};
  const all = columns(model, [...model.fields.keys()]);
  const returning = (chosen: unknown) => `RETURNING ${chosen ? columns(model, keys(chosen)) : all}`;

  const select = ({ where, select: chosen, orderBy, take, skip, ...other }: Args, limit?: number): Statement => {
    refuse(other);
    const values: unknown[] = [];
    const order = ordering(model, orderBy);
    return {
      text: [
        `SELECT ${chosen ? columns(model, keys(chosen)) : all} FROM "${model.table}" WHERE ${condition(model, where, values)}`,
        ...(order ? [`ORDER BY ${order}`] : []),
        ...bound('LIMIT', limit ?? take, values),
        ...bound('OFFSET', skip, values),
      ].join(' '),
      values,
    };
  };
  const insert = (data: Args, ending: string): Statement => {
    const names = Object.keys(data).filter((name) => data[name] !== undefined);
    if (!names.length) throw new NotPlain();
    const values = names.map((name) => parameter(field(model, name), data[name]));
    return {
      text: `INSERT INTO "${model.table}" (${names.map((name) => quoted(field(model, name))).join(', ')})
        VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')}) ${ending}`,
      values,
    };
  };
  const insertAll = ({ data, skipDuplicates }: Args, answer = ''): Statement => {
    const rows = (Array.isArray(data) ? data : [data]) as Args[];
    const ending = `${skipDuplicates ? 'ON CONFLICT DO NOTHING ' : ''}${answer}`;
    if (rows.length === 1) return insert(rows[0] as Args, ending);
    const names = Object.keys(rows[0] ?? {});
    const isUniform = rows.every(
      (row) => Object.keys(row).length === names.length && names.every((name) => row[name] !== undefined),
    );
    if (!names.length || !isUniform) throw new NotPlain();
    const list = names.map((name) => quoted(field(model, name))).join(', ');
    const records = rows.map((row) =>
      Object.fromEntries(names.map((name) => [field(model, name).column, inJson(field(model, name), row[name])])),
    );
    return {
      // One text for any number of rows, so that the plan is made once.
      text: `INSERT INTO "${model.table}" (${list})
        SELECT ${list} FROM jsonb_populate_recordset(NULL::"${model.table}", $1) ${ending}`,
      values: [JSON.stringify(records)],
    };
  };

  const update = ({ where, data, ...other }: Args, answer = ''): Statement => {
    refuse(other);
    const values: unknown[] = [];
    const set = assignments(model, data as Args, values);
    return { text: `UPDATE "${model.table}" SET ${set} WHERE ${condition(model, where, values)} ${answer}`, values };
  };

  const operations: Record<string, (args: Args) => { statement: Statement; read: (result: QueryResult) => unknown }> = {
    findFirst: (args) => ({ statement: select(args, 1), read: ({ rows }) => rows[0] ?? null }),
    lockFirst(args) {
      const { text, values } = select(args, 1);
      return { statement: { text: `${text} FOR UPDATE`, values }, read: ({ rows }) => rows[0] ?? null };
    },
    findMany: (args) => ({ statement: select(args), read: ({ rows }) => rows }),
    count({ where, ...other }) {
      refuse(other);
      const values: unknown[] = [];
      const text = `SELECT count(*) AS count FROM "${model.table}" WHERE ${condition(model, where, values)}`;
      return { statement: { text, values }, read: ({ rows }) => rows[0].count };
    },
    create({ data, select: chosen, ...other }) {
      refuse(other);
      return { statement: insert(data as Args, returning(chosen)), read: ({ rows }) => rows[0] };
    },
    createMany({ data, skipDuplicates, ...other }) {
      refuse(other);
      return { statement: insertAll({ data, skipDuplicates }), read: ({ rowCount }) => ({ count: rowCount ?? 0 }) };
    },
    createManyAndReturn({ data, skipDuplicates, select: chosen, ...other }) {
      refuse(other);
      return { statement: insertAll({ data, skipDuplicates }, returning(chosen)), read: ({ rows }) => rows };
    },
    updateMany: (args) => ({ statement: update(args), read: ({ rowCount }) => ({ count: rowCount ?? 0 }) }),
    updateManyAndReturn({ select: chosen, ...args }) {
      return { statement: update(args, returning(chosen)), read: ({ rows }) => rows };
    },
    deleteMany({ where, ...other }) {
      refuse(other);
      const values: unknown[] = [];
      const text = `DELETE FROM "${model.table}" WHERE ${condition(model, where, values)}`;
      return { statement: { text, values }, read: ({ rowCount }) => ({ count: rowCount ?? 0 }) };
    },
  };
  return Object.fromEntries(
    Object.entries(operations).map(([name, build]) => [name, (args: Args) => attempt(() => build(args), send)]),
  );
}

function attempt(
  build: () => { statement: Statement; read: (result: QueryResult) => unknown },
  send: Send,
): Promise<unknown> | undefined {
  try {
    const { statement, read } = build();
    return send(statement).then(read, (error) => {
      throw asPrismaTells(error);
    });
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
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
  return names.map((name) => `${quoted(field(model, name))} AS "${name}"`).join(', ');
}

function keys(chosen: unknown): string[] {
  return Object.entries(chosen as Args)
    .filter(([, isChosen]) => isChosen)
    .map(([name]) => name);
}

/** Arguments that are not read here would be ignored silently. */
function refuse(other: Args): void {
  if (Object.values(other).some((value) => value !== undefined)) throw new NotPlain();
}

function bound(word: 'LIMIT' | 'OFFSET', rows: unknown, values: unknown[]): string[] {
  if (rows === undefined) return [];
  // Prisma reads a negative number from the end.
  if (!Number.isSafeInteger(rows) || Number(rows) < 0) throw new NotPlain();
  return [`${word} $${values.push(rows)}`];
}

function ordering(model: Model, orderBy: unknown): string {
  const list = orderBy === undefined ? [] : Array.isArray(orderBy) ? orderBy : [orderBy];
  return list
    .flatMap((one: Args) => Object.entries(one))
    .map(([name, direction]) => {
      if (direction !== 'asc' && direction !== 'desc') throw new NotPlain();
      return `${quoted(field(model, name))} ${direction === 'asc' ? 'ASC' : 'DESC'}`;
    })
    .join(', ');
}

function condition(model: Model, where: unknown, values: unknown[]): string {
  const parts = Object.entries((where ?? {}) as Args).map(([name, value]) => {
    if (name !== 'AND' && name !== 'OR') return comparison(field(model, name), value, values);
    const list = Array.isArray(value) ? value : [value];
    // What Prisma makes of it depends on where it stands.
    if (!list.length && name === 'OR') throw new NotPlain();
    return list.length ? `(${list.map((one) => `(${condition(model, one, values)})`).join(` ${name} `)})` : 'true';
  });
  return parts.length ? parts.join(' AND ') : 'true';
}

/** What a record is changed to: plain values, and a number that goes up or down. */
function assignments(model: Model, data: Args, values: unknown[]): string {
  const given = Object.entries(data).filter(([, value]) => value !== undefined);
  if (!given.length) throw new NotPlain();
  const set = given.map(([name, value]) => {
    const of = field(model, name);
    const column = quoted(of);
    const step = of.type !== 'Json' && isRecord(value) ? Object.entries(value as Args) : undefined;
    if (!step) return `${column} = $${values.push(parameter(of, value))}`;
    const [[kind, by] = []] = step;
    const sign = { increment: '+', decrement: '-' }[kind ?? ''];
    if (!sign || step.length > 1 || typeof by !== 'number') throw new NotPlain();
    return `${column} = ${column} ${sign} $${values.push(by)}`;
  });
  const touched = [...model.fields.values()].filter(({ name, isUpdatedAt }) => isUpdatedAt && data[name] === undefined);
  return [...set, ...touched.map((of) => `${quoted(of)} = $${values.push(new Date())}`)].join(', ');
}

const operators: Record<string, string> = { equals: '=', not: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' };

function comparison(of: Field, value: unknown, values: unknown[]): string {
  if (value === undefined) throw new Error(`A filter of ${of.name} is undefined and would match everything`);
  if (of.type === 'Json' || of.isList) throw new NotPlain();
  if (value === null) return `${quoted(of)} IS NULL`;
  if (isScalar(value)) return `${quoted(of)} = $${values.push(value)}`;
  const parts = Object.entries(value as Args).map(([operator, operand]) => {
    if (operator === 'in' && Array.isArray(operand) && operand.every(isScalar))
      // For a list PostgreSQL makes a plan each time, for one value it keeps one.
      return operand.length === 1
        ? `${quoted(of)} = $${values.push(operand[0])}`
        : `${quoted(of)} = ANY($${values.push(operand)})`;
    const sign = operators[operator];
    if (operand === null && operator === 'not') return `${quoted(of)} IS NOT NULL`;
    if (operand === null && operator === 'equals') return `${quoted(of)} IS NULL`;
    if (!sign || !isScalar(operand)) throw new NotPlain();
    return `${quoted(of)} ${sign} $${values.push(operand)}`;
  });
  if (!parts.length) throw new NotPlain();
  return parts.join(' AND ');
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || value instanceof Date || value instanceof Uint8Array;
}

/** A value for a column. Prisma has objects for what plain values cannot say, such as nulls inside JSON. */
function parameter(of: Field, value: unknown): unknown {
  if (of.type === 'Json') {
    if (value === null || !(Array.isArray(value) || isScalar(value) || isRecord(value))) throw new NotPlain();
    return JSON.stringify(value);
  }
  if (of.isList ? Array.isArray(value) : value === null || isScalar(value)) return value;
  throw new NotPlain();
}

/** A value as `jsonb_populate_recordset` reads it for a column. */
function inJson(of: Field, value: unknown): unknown {
  // Refuses what is no plain value.
  parameter(of, value);
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

// PostgreSQL's class 23 (manual, appendix A) as Prisma's codes, so that a handler reads one kind of error.
const taken = 'P2002';
const violations: Record<string, string> = { 23505: taken, 23503: 'P2003' };

function asPrismaTells(error: Error & { code?: string }): Error {
  const code = violations[error.code ?? ''];
  return code ? Object.assign(new Error(error.message, { cause: error }), { code }) : error;
}

/** Whether the database refused a second record where only one may be. */
export function isTaken(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === taken;
}
