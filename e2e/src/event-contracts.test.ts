import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventDef } from '@tandem/contract';
import { eventJsonSchema } from '@tandem/events';
import { findServices } from '@tandem/tooling';
import { breakingChanges, type JsonSchema } from './event-contract-changes.ts';

// Events outlive a release: they are under way while it is replaced, and lie among dead letters for up to 30 days. So the
// contract of an event may only change in ways that leave older events readable. event-contracts.json has the contracts
// of the release before. To accept compatible changes: UPDATE_EVENT_CONTRACTS=1 npm test -- e2e/src/event-contracts

const root = join(import.meta.dirname, '../..');
const file = join(root, 'e2e/event-contracts.json');

it('every event of an earlier release stays readable', async () => {
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
  if (process.env['UPDATE_EVENT_CONTRACTS']) writeFileSync(file, written(schemas));
  else expect(schemas).toEqual(before);
});

/** One line for each event, so that a change shows which contracts it touches. */
function written(schemas: Record<string, JsonSchema>): string {
  const lines = Object.entries(schemas).map(([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** Every event that a contract exports, in order of their names. */
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
    ['a further enum value', record({ status: { type: 'string', enum: ['new', 'old', 'archived'] }, name: text })],
    ['a wider limit', record({ name: { type: 'string', maxLength: 100 } })],
    ['a new field that may be null', record({ name: text, added: { anyOf: [text, { type: 'null' }] } })],
    ['a new optional field', record({ name: text, added: text }, ['name'])],
    ['a field that may be null from now on', record({ name: { anyOf: [text, { type: 'null' }] } })],
  ])('%s is compatible', (_, after) => expect(breakingChanges(before, after)).toEqual([]));

  it.each<[string, JsonSchema]>([
    ['a value less', record({ status: { type: 'string', enum: ['new'] } })],
    ['another type', record({ name: { type: 'number' } })],
    ['a tighter limit', record({ name: { type: 'string', maxLength: 10 } })],
    ['a new required field', record({ name: text, added: text })],
  ])('%s is refused', (_, after) => expect(breakingChanges(before, after)).toHaveLength(1));

  it('a new required field is compatible when the contract declares a value for older events', () => {
    const after = record({ name: text, added: text });
    expect(breakingChanges(before, after, new Set(['record.added']))).toEqual([]);
  });
});
