import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deliveredData, type EventDef } from '@tandem/contract';
import { dataSchemaDigest, eventJsonSchema } from '@tandem/events';
import { findServices } from '@tandem/tooling';
import { breakingChanges, type JsonSchema } from './event-contract-changes.ts';

// Events outlive a release: they are in flight during a deployment, and kept as dead letters for up to 30 days.
// Therefore contracts may only change so that older events stay readable. event-contracts.json has the contracts of the
// previous release. To accept compatible changes: UPDATE_EVENT_CONTRACTS=1 npm test -- e2e/src/event-contracts

const root = join(import.meta.dirname, '../..');
const file = join(root, 'e2e/event-contracts.json');

it('every event of the previous release stays readable', async () => {
  const events = await declaredEvents();
  const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, JsonSchema>;
  const schemas = Object.fromEntries(events.map((event) => [event.name, eventJsonSchema(event) as JsonSchema]));
  const faults = events.flatMap((event) => {
    const known = before[event.name];
    if (!known) return [];
    const changes = breakingChanges(known, schemas[event.name] as JsonSchema, fieldsWhenMissing(event));
    return changes.map((change) => `${event.name}: ${change}`);
  });
  expect(faults).toEqual([]);
  if (process.env['UPDATE_EVENT_CONTRACTS']) writeFileSync(file, serialize(schemas));
  else expect(schemas).toEqual(before);
});

const versionsFile = join(root, 'services/integrations/contract/event-versions.ts');

it('every change of the data that webhooks receive raises the version of its schema', async () => {
  const events = (await declaredEvents()).filter(({ group }) => group !== undefined);
  const { eventVersions } = (await import(versionsFile)) as {
    eventVersions: Record<string, readonly [version: number, digest: string]>;
  };
  const next = events.map((event) => {
    const known = eventVersions[event.name];
    const digest = dataSchemaDigest(deliveredData(event));
    return [event.name, [known?.[1] === digest ? known[0] : (known?.[0] ?? 0) + 1, digest]] as const;
  });
  if (!process.env['UPDATE_EVENT_CONTRACTS']) return expect(Object.fromEntries(next)).toEqual(eventVersions);
  const lines = next.map(([name, [version, digest]]) => `  '${name}': [${version}, '${digest}'],`);
  const source = readFileSync(versionsFile, 'utf8');
  writeFileSync(versionsFile, source.replace(/(eventVersions = \{)[^}]*(\} as const)/, `$1\n${lines.join('\n')}\n$2`));
});

/** One line per event, so that a diff shows which contracts have changed. */
function serialize(schemas: Record<string, JsonSchema>): string {
  const lines = Object.entries(schemas).map(([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** Every event that a contract exports, sorted by name. */
async function declaredEvents(): Promise<EventDef[]> {
  const found = new Map<string, EventDef>();
  for (const { name } of findServices(root)) {
    const contract = (await import(join(root, 'services', name, 'contract/index.ts'))) as Record<string, unknown>;
    for (const value of Object.values(contract)) if (isEvent(value)) found.set(value.name, value);
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function isEvent(value: unknown): value is EventDef {
  return typeof value === 'object' && value !== null && 'action' in value && 'target' in value && 'record' in value;
}

function fieldsWhenMissing({ whenMissing }: EventDef): Set<string> {
  return new Set(
    (['data', 'record'] as const).flatMap((part) =>
      Object.keys(whenMissing?.[part] ?? {}).map((field) => `${part}.${field}`),
    ),
  );
}

describe('a change of a contract', () => {
  const record = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
    type: 'object',
    properties: { record: { type: 'object', properties, required } },
    required: ['record'],
  });
  const text = { type: 'string' };
  const before = record({ status: { type: 'string', enum: ['new', 'old'] }, name: { type: 'string', maxLength: 50 } });

  it.each<[string, JsonSchema]>([
    ['an additional enum value', record({ status: { type: 'string', enum: ['new', 'old', 'archived'] }, name: text })],
    ['a wider limit', record({ name: { type: 'string', maxLength: 100 } })],
    ['a new nullable field', record({ name: text, added: { anyOf: [text, { type: 'null' }] } })],
    ['a new optional field', record({ name: text, added: text }, ['name'])],
    ['a field that becomes nullable', record({ name: { anyOf: [text, { type: 'null' }] } })],
  ])('%s is compatible', (_, after) => expect(breakingChanges(before, after)).toEqual([]));

  it.each<[string, JsonSchema]>([
    ['a removed enum value', record({ status: { type: 'string', enum: ['new'] } })],
    ['another type', record({ name: { type: 'number' } })],
    ['a tighter limit', record({ name: { type: 'string', maxLength: 10 } })],
    ['a new required field', record({ name: text, added: text })],
  ])('%s is breaking', (_, after) => expect(breakingChanges(before, after)).toHaveLength(1));

  it('a new required field is compatible if the contract declares a value for older events', () => {
    const after = record({ name: text, added: text });
    expect(breakingChanges(before, after, new Set(['record.added']))).toEqual([]);
  });
});
