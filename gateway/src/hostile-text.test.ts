import type { SchemaNode } from '@tandem/contract';
import type { z } from 'zod';
import { publicOperations } from './contracts.ts';

// At this length a quadratic check takes more than 100 ms, a linear one less than 1 ms.
const length = 20_000;
const maxMs = 50;

const pieces = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index)),
  ...['\t', '\n', '\0', 'ä', '漢', '😀', '\ud800'],
  ...['a.', 'a-', '-a', 'a@', ' ,', '()', '+1', 'a ', '::', '//', '1:', 'a=', '=a', '%41', '\\"', '0.', 'a_', '[]'],
];
const texts = pieces.flatMap((piece) => {
  const body = piece.repeat(Math.floor(length / piece.length));
  return ['', 'x', '!', '\n'].flatMap((end) => ['', 'a@', '+', 'https://'].map((start) => `${start}${body}${end}`));
});

/** The distinct string schemas inside a schema. */
function textSchemas(schema: SchemaNode | undefined, found = new Set<SchemaNode>()): Set<SchemaNode> {
  if (!schema) return found;
  const def = schema._zod.def as Record<string, unknown> & { type: string };
  if (def.type === 'string') return found.add(schema);
  const inner = ['innerType', 'in', 'element', 'valueType', 'keyType', 'left', 'right'].map((name) => def[name]);
  const all = [...inner, ...((def.options ?? []) as unknown[]), ...Object.values((def.shape ?? {}) as object)];
  for (const one of all) textSchemas(one as SchemaNode | undefined, found);
  return found;
}

/**
 * The same for every schema that does the same checks: hundreds of fields are a text of some length or a whole number.
 * Transformations are told apart by their source, checks of our own by identity, because they may differ in what they
 * captured.
 */
function checksOf(schema: SchemaNode): string {
  const def: object & { checks?: { _zod: { def: object } }[] } = schema._zod.def;
  const own = (name: string, value: unknown) => {
    if (name === 'checks' || name === 'error') return undefined;
    if (value instanceof RegExp) return String(value);
    if (typeof value !== 'function') return value;
    return name === 'fn' ? numberOf(value) : value.toString();
  };
  return JSON.stringify([def, ...(def.checks ?? []).map((check) => check._zod.def)], own);
}

const functions = new Map<unknown, number>();

function numberOf(check: unknown): number {
  if (!functions.has(check)) functions.set(check, functions.size);
  return functions.get(check) as number;
}

function slowest(check: (text: string) => unknown): { text: string; ms: number } {
  let worst = { text: '', ms: 0 };
  for (const text of texts) {
    const once = cpuMs(() => check(text));
    // Garbage collection may slow down a single check; a quadratic check is slow every time.
    const ms = once > maxMs ? Math.min(once, ...[1, 2, 3].map(() => cpuMs(() => check(text)))) : once;
    if (ms > worst.ms) worst = { text: `${text.slice(0, 20)}…${text.slice(-3)}`, ms };
    // One slow check is enough to fail, and further ones may be even slower.
    if (worst.ms > maxMs) break;
  }
  return worst;
}

function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Whether a schema reads the fields of an object; a text, number, choice or list refuses it by its type. */
function readsFields(schema: SchemaNode): boolean {
  const { type, innerType } = schema._zod.def as { type: string; innerType?: SchemaNode };
  return innerType
    ? readsFields(innerType)
    : !['string', 'number', 'boolean', 'enum', 'literal', 'array'].includes(type);
}

const rows = publicOperations().map(({ row }) => row);

it('checks every text in a path, query or body in linear time', () => {
  const schemas = new Map<string, { id: string; schema: SchemaNode }>();
  for (const row of rows)
    for (const part of [row.params, row.query, row.body, row.form])
      for (const schema of textSchemas(part)) {
        const checks = checksOf(schema);
        if (!schemas.has(checks)) schemas.set(checks, { id: row.id, schema });
      }
  expect(schemas.size).toBeGreaterThan(100);
  const slow = [...schemas.values()]
    .map(({ schema, id }) => ({ id, ...slowest((text) => (schema as z.ZodType).safeParse(text)) }))
    .filter(({ ms }) => ms > maxMs);
  expect(slow).toEqual([]);
}, 300_000);

it('checks every field of a body in linear time', () => {
  const fields = rows.flatMap(({ id, body }) =>
    Object.entries(body?.shape ?? {}).map(([field, schema]) => ({ id, field, schema })),
  );
  const slow = fields
    .filter(({ schema }) => readsFields(schema))
    .map(({ id, field, schema }) => ({
      id,
      field,
      ...slowest((text) => (schema as z.ZodType).safeParse({ [text]: text })),
    }));
  expect(slow.length).toBeGreaterThan(100);
  expect(slow.filter(({ ms }) => ms > maxMs)).toEqual([]);
}, 300_000);
