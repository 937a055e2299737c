// Mappings from fields of a connected system to fields of records here.
import { idTypeOf, type SchemaNode, unwrap } from '@tandem/contract';
import { accounts, leads, opportunities } from '@tandem/crm-contract';
import type { FieldMapping } from '../../connectors/calling.ts';
import type { ExternalRecord } from '../../connectors/sync.ts';
import { timeOf } from '../../connectors/values.ts';

type MappedKind = 'account' | 'lead' | 'opportunity';

/** The schemas of the requests that create records, by the kind of the record. */
export const bodies = {
  account: accounts.createAccount.body,
  lead: leads.createLead.body,
  opportunity: opportunities.createOpportunity.body,
} as const;

/** Fields that are no references, and still have no values of a connected system. */
const reserved: Record<MappedKind, readonly string[]> = {
  account: ['externalId'],
  // Consent needs proof, and a code of a partner is a claim to deals.
  lead: ['externalId', 'consent', 'referralCode'],
  opportunity: [],
};

const customFields = 'customFields';
const customKey = /^[A-Za-z0-9_-]{1,64}$/;
const unsafe = ['__proto__', 'constructor', 'prototype'];

/** Why a mapping cannot write to a path such as `lead.phone` or `account.customFields.size`; undefined if it can. */
export function mappingError(to: string): string | undefined {
  const { kind, path } = targetOf(to);
  if (!isMappedKind(kind)) return `Must begin with one of ${Object.keys(bodies).join(', ')}, such as lead.phone`;
  if (schemaAt(kind, path)) return undefined;
  return `Must be one of ${fieldsOf(kind).join(', ')}`;
}

/**
 * The record with its mapped fields. A mapping without a value leaves the default. Values are converted to the type of the
 * field, because most systems store numbers and lists as texts; a value that cannot be converted stays, so that the
 * validation of the record reports it.
 */
export function applyMappings<Found extends ExternalRecord>(record: Found, mappings: readonly FieldMapping[]): Found {
  const { kind } = record;
  if (!isMappedKind(kind)) return record;
  const fields: Record<string, unknown> = { ...record.fields };
  for (const { from, to } of mappings) {
    const target = targetOf(to);
    const schema = target.kind === kind ? schemaAt(kind, target.path) : undefined;
    const value = schema && valueAt(record.source, from);
    if (schema && value !== null && value !== undefined) setAt(fields, target.path, converted(schema, value));
  }
  return { ...record, fields } as Found;
}

function targetOf(to: string): { kind: string; path: string[] } {
  const [kind = '', ...path] = to.split('.');
  return { kind, path };
}

function isMappedKind(kind: string): kind is MappedKind {
  return Object.hasOwn(bodies, kind);
}

type Shape = Record<string, SchemaNode>;

function shapeOf(schema: SchemaNode): Shape | undefined {
  return (unwrap(schema)._zod.def as { shape?: Shape }).shape;
}

/** The schema of a field that mappings can write; for a custom field, that of all custom fields. */
function schemaAt(kind: MappedKind, [name = '', key, ...rest]: string[]): SchemaNode | undefined {
  const shape = bodies[kind].shape as Shape;
  if (rest.length || reserved[kind].includes(name) || !Object.hasOwn(shape, name)) return undefined;
  const schema = shape[name] as SchemaNode;
  if (idTypeOf(schema)) return undefined;
  if (name === customFields)
    return key !== undefined && customKey.test(key) && !unsafe.includes(key) ? schema : undefined;
  const inner = shapeOf(schema);
  if (!inner) return key === undefined ? schema : undefined;
  return key !== undefined && Object.hasOwn(inner, key) ? inner[key] : undefined;
}

/** The paths that mappings can write, for the message of an error. */
function fieldsOf(kind: MappedKind): string[] {
  const paths = Object.entries(bodies[kind].shape as Shape).flatMap(([name, schema]) => {
    if (name === customFields) return [`${kind}.${name}.<key>`];
    const inner = shapeOf(schema);
    const names = inner ? Object.keys(inner).map((key) => [name, key]) : [[name]];
    return names.filter((path) => schemaAt(kind, path)).map((path) => [kind, ...path].join('.'));
  });
  return paths;
}

function setAt(fields: Record<string, unknown>, [name = '', key]: string[], value: unknown): void {
  if (key === undefined) {
    fields[name] = value;
    return;
  }
  const inner = fields[name];
  fields[name] = { ...(typeof inner === 'object' && inner !== null && inner), [key]: value };
}

/** The value at a path; null if there is none. */
function valueAt(source: object, path: string): unknown {
  let value: unknown = source;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

const numeric = /^-?\d{1,15}(\.\d{1,20})?$/;
const listMax = 50;

function converted(schema: SchemaNode, value: unknown): unknown {
  const { type } = unwrap(schema)._zod.def as { type: string };
  if (type === 'number' && typeof value === 'string' && numeric.test(value.trim())) return Number(value);
  if (type === 'string' && typeof value === 'number') return String(value);
  if (type === 'array' && typeof value === 'string') return entriesOf(value);
  if (type === 'pipe' && typeof value !== 'object') return timeOf(value) ?? value;
  return value;
}

/** The entries of a text that holds a list, as HubSpot separates them. */
function entriesOf(value: string): string[] {
  const entries = value.split(/[;,]/).map((one) => one.trim());
  return [...new Set(entries.filter(Boolean))].slice(0, listMax);
}
