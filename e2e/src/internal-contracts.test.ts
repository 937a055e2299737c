import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '@tandem/contract';
import { findServices } from '@tandem/tooling';
import { z } from 'zod';
import { type JsonSchema, unreadableValues } from './event-contract-changes.ts';

// During a release, instances of two releases call each other. Therefore the operations that services call on each other
// may only change so that both releases understand each other. internal-contracts.json has their contracts in the
// previous release. To accept compatible changes: UPDATE_EVENT_CONTRACTS=1 npm test -- e2e/src/internal-contracts
// To accept a breaking change that the release makes no use of yet, such as an enum value that no service writes, delete
// the line of the operation first.

const root = join(import.meta.dirname, '../..');
const file = join(root, 'e2e/internal-contracts.json');

interface Contract {
  route: string;
  input: JsonSchema;
  reply: JsonSchema;
}

it('every internal operation is compatible with its previous release', async () => {
  const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Contract>;
  const contracts = await internalContracts();
  const faults = Object.entries(contracts).flatMap(([id, contract]) => {
    const known = before[id];
    return known ? incompatibilities(known, contract).map((fault) => `${id}: ${fault}`) : [];
  });
  expect(faults).toEqual([]);
  if (process.env['UPDATE_EVENT_CONTRACTS']) writeFileSync(file, serialize(contracts));
  else expect(contracts).toEqual(before);
});

function incompatibilities(before: Contract, after: Contract): string[] {
  const about = (what: string, faults: string[]) => faults.map((fault) => `${what}: ${fault}`);
  return [
    ...(before.route === after.route ? [] : [`the route changes from ${before.route} to ${after.route}`]),
    // New fields and values of an input are accepted, because a service is released before the callers that send them.
    ...about('input of an older caller', unreadableValues(before.input, after.input)),
    ...about('reply to an older caller', unreadableValues(after.reply, before.reply)),
    ...about('reply of an older service', unreadableValues(before.reply, after.reply)),
  ];
}

/** One line per operation, so that a diff shows which contracts have changed. */
function serialize(contracts: Record<string, Contract>): string {
  const lines = Object.entries(contracts).map(([id, contract]) => `${JSON.stringify(id)}: ${JSON.stringify(contract)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** The internal operations of all services, sorted by service and id. */
async function internalContracts(): Promise<Record<string, Contract>> {
  const found = new Map<string, Contract>();
  for (const { name } of findServices(root)) {
    const exported = (await import(join(root, 'services', name, 'contract/index.ts'))) as Record<string, unknown>;
    const rows = Object.values(exported).flatMap(internalOperations);
    for (const row of rows) found.set(`${name}.${row.id}`, contractOf(row));
  }
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function internalOperations(exported: unknown): Operation[] {
  if (typeof exported !== 'object' || exported === null) return [];
  return Object.values(exported).filter((row): row is Operation => row?.audience === 'internal' && 'reply' in row);
}

function contractOf({ method, path, params, query, body, reply }: Operation): Contract {
  const input = z.object({ ...params?.shape, ...query?.shape, ...body?.shape });
  return { route: `${method} ${path}`, input: jsonSchema(input), reply: jsonSchema(reply) };
}

/** JSON Schema of the wire form, without descriptions and examples. */
function jsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema: json }) => {
      delete json.description;
      delete json.examples;
      delete json.title;
    },
  }) as JsonSchema;
}

describe('a change of an internal operation', () => {
  const kind = z.enum(['big', 'small']);
  const of = (input: z.ZodRawShape, reply: z.ZodRawShape, path = '/internal/things'): Contract => ({
    route: `POST ${path}`,
    input: jsonSchema(z.object(input)),
    reply: jsonSchema(z.object({ page: z.object(reply) })),
  });
  const before = of({ id: z.string() }, { name: z.string(), kind });

  it.each<[string, Contract]>([
    ['an optional input field', of({ id: z.string(), added: z.int().optional() }, { name: z.string(), kind })],
    ['an optional reply field', of({ id: z.string() }, { name: z.string(), kind, added: z.int().optional() })],
  ])('%s is compatible', (_, after) => expect(incompatibilities(before, after)).toEqual([]));

  it.each<[string, Contract]>([
    ['a required input field', of({ id: z.string(), added: z.int() }, { name: z.string(), kind })],
    ['a removed reply field', of({ id: z.string() }, { kind })],
    ['a required reply field', of({ id: z.string() }, { name: z.string(), kind, added: z.int().nullable() })],
    [
      'a new enum value in a reply',
      of({ id: z.string() }, { name: z.string(), kind: z.enum(['big', 'small', 'new']) }),
    ],
    ['a reply field that becomes nullable', of({ id: z.string() }, { name: z.string().nullable(), kind })],
    ['another path', of({ id: z.string() }, { name: z.string(), kind }, '/internal/others')],
  ])('%s is breaking', (_, after) => expect(incompatibilities(before, after)).toHaveLength(1));
});
