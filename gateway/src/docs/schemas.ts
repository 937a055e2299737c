import { idTypeOf, type ResourceType, type SchemaNode } from '@tandem/contract';
import { z } from 'zod';
import { exampleId } from './example-ids.ts';
import type { JsonSchema } from './json.ts';
import { schemaNames } from './vocabulary.ts';

/** Where a value stands: it decides what may be left out and how numbers are written. */
type Place = 'body' | 'query' | 'reply';

/** Renders the schemas of contracts in wire form, and gathers those that have a name. */
export interface Schemas {
  body(schema: z.ZodType): JsonSchema;
  /** A field of a query: numbers and booleans are what the text stands for. */
  query(schema: z.ZodType): JsonSchema;
  reply(schema: z.ZodType): JsonSchema;
  /** The named schemas of every reply rendered so far. */
  readonly named: Record<string, JsonSchema>;
}

/** Starts a collection of schemas. */
export function createSchemas(): Schemas {
  const named: Record<string, JsonSchema> = {};
  return {
    named,
    body: (schema) => render(schema, 'body'),
    query: (schema) => render(schema, 'query'),
    reply(schema) {
      const { $defs, ...json } = render(schema, 'reply');
      Object.assign(named, $defs);
      return json;
    },
  };
}

const noNames = z.registry<{ id: string }>();

function render(schema: z.ZodType, place: Place): JsonSchema {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    // A resource has one form in replies; what callers send is a selection of its fields and stands in place.
    metadata: place === 'reply' ? schemaNames : noNames,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => rewrite(zodSchema, jsonSchema as JsonSchema, place),
  });
  return tidy(json as JsonSchema);
}

interface Def {
  type: string;
  in?: SchemaNode;
  out?: SchemaNode;
  shape?: Record<string, SchemaNode>;
  defaultValue?: unknown;
}

function rewrite(node: SchemaNode, json: JsonSchema, place: Place): void {
  const def = node._zod.def as unknown as Def;
  const description = z.globalRegistry.get(node)?.description;
  if (def.type === 'pipe') rewritePipe(node, def, json, place);
  if (def.type === 'object' && place === 'reply') json.required = present(def.shape ?? {});
  if (def.type === 'default') {
    if (place === 'reply') delete json.default;
    else json.default = def.defaultValue;
  }
  if (description) json.description = description;
}

/** An id, a number or flag in a query, or text that is trimmed before it is checked: the wire's side says too little. */
function rewritePipe(node: SchemaNode, { out }: Def, json: JsonSchema, place: Place): void {
  const type = idTypeOf(node);
  if (type) {
    replace(json, idSchema(type, place));
    return;
  }
  const isCodec = node instanceof z.ZodCodec;
  const meant =
    isCodec && place !== 'query'
      ? undefined
      : z.toJSONSchema(out as z.ZodType, { io: 'input', unrepresentable: 'any' });
  if (meant?.type) replace(json, meant as JsonSchema);
}

function idSchema(type: ResourceType, place: Place): JsonSchema {
  const prefix = place === 'reply' ? '' : `(?:${type}_)?`;
  return {
    type: 'string',
    description: `Id of ${withArticle(nouns[type] ?? type.replaceAll('_', ' '))}`,
    pattern: `^${prefix}[0-9A-Za-z]{16,20}$`,
    examples: [exampleId(type)],
  };
}

const nouns: Partial<Record<ResourceType, string>> = { api_key: 'API key', audit_log: 'audit log entry' };

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) && noun !== 'user' ? 'an' : 'a'} ${noun}`;
}

/** In a reply a field with a default is always there. */
function present(shape: Record<string, SchemaNode>): string[] {
  return Object.keys(shape).filter((field) => shape[field]?._zod.optout !== 'optional');
}

function replace(json: JsonSchema, by: JsonSchema): void {
  for (const keyword of Object.keys(json)) delete json[keyword];
  const { $schema, ...rest } = by;
  Object.assign(json, rest);
}

// A format says the same as its pattern; other validators read the pattern of a date in other ways.
const formatsWithoutPattern = ['date-time', 'email', 'ipv4', 'ipv6'];
// Names that only zod knows; the pattern says what they mean.
const formatsOfZod = ['cidrv4', 'cidrv6'];

/** What zod writes, in the form that people read: references into the document, `null` as a type, no empty keywords. */
function tidy(json: JsonSchema): JsonSchema {
  const tidied = mapSchemas(json, tidy);
  if (tidied.$ref) tidied.$ref = tidied.$ref.replace('#/$defs/', '#/components/schemas/');
  if (tidied.format && formatsWithoutPattern.includes(tidied.format)) delete tidied.pattern;
  if (tidied.format && formatsOfZod.includes(tidied.format)) delete tidied.format;
  if (tidied.minimum === Number.MIN_SAFE_INTEGER) delete tidied.minimum;
  if (tidied.maximum === Number.MAX_SAFE_INTEGER) delete tidied.maximum;
  if (tidied.required?.length === 0) delete tidied.required;
  if (tidied.propertyNames && Object.keys(tidied.propertyNames).join() === 'type') delete tidied.propertyNames;
  if (isEmpty(tidied.additionalProperties)) tidied.additionalProperties = true;
  return withNullAsType(tidied);
}

function mapSchemas(json: JsonSchema, map: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const { properties, $defs, items, anyOf, additionalProperties } = json;
  const all = (schemas: Record<string, JsonSchema>) =>
    Object.fromEntries(Object.entries(schemas).map(([key, one]) => [key, map(one)]));
  return {
    ...json,
    ...(properties && { properties: all(properties) }),
    ...($defs && { $defs: all($defs) }),
    ...(items && { items: map(items) }),
    ...(anyOf && { anyOf: anyOf.map(map) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: map(additionalProperties) }),
  };
}

function withNullAsType({ anyOf, ...json }: JsonSchema): JsonSchema {
  const [value, nothing] = anyOf ?? [];
  const isNullable =
    anyOf?.length === 2 && nothing?.type === 'null' && typeof value?.type === 'string' && !('const' in value);
  if (!isNullable) return anyOf ? { ...json, anyOf } : json;
  return {
    ...value,
    ...json,
    type: [value.type as string, 'null'],
    ...(value.enum && { enum: [...value.enum, null] }),
  };
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
}
