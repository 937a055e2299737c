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

const rows = publicOperations().map(({ row }) => row);

it('checks every text in a path, query or body in linear time', () => {
  const schemas = new Map<SchemaNode, string>();
  for (const row of rows)
    for (const part of [row.params, row.query, row.body, row.form])
      for (const schema of textSchemas(part)) if (!schemas.has(schema)) schemas.set(schema, row.id);
  expect(schemas.size).toBeGreaterThan(100);
  const slow = [...schemas]
    .map(([schema, id]) => ({ id, ...slowest((text) => (schema as z.ZodType).safeParse(text)) }))
    .filter(({ ms }) => ms > maxMs);
  expect(slow).toEqual([]);
}, 300_000);

it('checks every field of a body in linear time', () => {
  const slow = rows.flatMap((row) =>
    Object.entries(row.body?.shape ?? {}).map(([field, schema]) => ({
      id: row.id,
      field,
      ...slowest((text) => (schema as z.ZodType).safeParse({ [text]: text })),
    })),
  );
  expect(slow.filter(({ ms }) => ms > maxMs)).toEqual([]);
}, 300_000);
