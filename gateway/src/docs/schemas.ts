import { idTypeOf, type ResourceType, resourceTypes, type SchemaNode } from '@tandem/contract';
import { z } from 'zod';
import { exampleId } from './example-ids.ts';
import type { JsonSchema } from './json.ts';
import { pascal } from './pascal.ts';
import { exportedSchemas, schemaNames } from './vocabulary.ts';

/** Where a value is used: it decides which fields are required, and how ids and numbers are written. */
type Place = 'body' | 'query' | 'reply';

/** Renders the schemas of contracts in wire form, and collects the named ones for `components.schemas`. */
export interface Schemas {
  /** A request body or form. An object that no contract exports gets the given name. */
  body(schema: z.ZodType, name: string): JsonSchema;
  /** A path parameter. */
  path(schema: z.ZodType): JsonSchema;
  /** A field of a query: the schema describes the number or boolean that its text stands for. */
  query(schema: z.ZodType): JsonSchema;
  /** A reply, or the data of an event. An object that no contract exports gets the given name, if there is one. */
  reply(schema: z.ZodType, name?: string): JsonSchema;
  /** Adds a named schema and returns the reference to it. */
  define(name: string, schema: JsonSchema): JsonSchema;
  /** The reference to a named schema, which is added unless it exists; the schema itself if another one has the name. */
  share(name: string, schema: JsonSchema): JsonSchema;
  /** The named schemas of everything rendered so far. */
  readonly named: Record<string, JsonSchema>;
  /** The schema behind a reference to one of `named`, or the schema itself. */
  resolve(schema: JsonSchema): JsonSchema;
}

const home = '#/components/schemas/';
/** Where zod puts named schemas. */
const inZod = '#/$defs/';
const referenceToId = /"#\/components\/schemas\/(\w+Id)"/g;

/** Starts a collection of schemas. */
export function createSchemas(): Schemas {
  const named: Record<string, JsonSchema> = {};
  const nameBySchema = new Map<z.ZodType, string>();
  const replies = new Map<z.ZodType, JsonSchema>();

  const collect = (schema: z.ZodType, place: Place): JsonSchema => {
    const known = place === 'reply' ? replies.get(schema) : undefined;
    if (known) return known;
    const rendered = render(schema, place);
    const { $defs = {}, ...json } = rendered;
    for (const [name, one] of Object.entries($defs)) named[wireName(name, place)] = one;
    for (const [, name = ''] of JSON.stringify(rendered).matchAll(referenceToId)) named[name] ??= idSchemas[name] ?? {};
    if (place === 'reply') replies.set(schema, json);
    return json;
  };

  const collectAs = (schema: z.ZodType, place: Place, name: string | undefined): JsonSchema => {
    const json = collect(schema, place);
    if (name === undefined || !json.properties) return json;
    const known = nameBySchema.get(schema);
    if (known) return { $ref: home + known };
    nameBySchema.set(schema, name);
    return define(name, json);
  };

  const define = (name: string, schema: JsonSchema): JsonSchema => {
    if (named[name]) throw new Error(`Two schemas would be called ${name}: rename an exported schema or an operation`);
    named[name] = schema;
    return { $ref: home + name };
  };

  const share = (name: string, schema: JsonSchema): JsonSchema => {
    if (!named[name]) return define(name, schema);
    return JSON.stringify(named[name]) === JSON.stringify(schema) ? { $ref: home + name } : schema;
  };

  return {
    named,
    share,
    body: (schema, name) => collectAs(schema, 'body', name),
    path: (schema) => collect(schema, 'body'),
    query: (schema) => collect(schema, 'query'),
    reply: (schema, name) => collectAs(schema, 'reply', name),
    define,
    resolve: (schema) => (schema.$ref ? (named[schema.$ref.slice(home.length)] as JsonSchema) : schema),
  };
}

function isDifferentInRequests(schema: z.ZodType): boolean {
  return JSON.stringify(convert(schema, 'body')) !== JSON.stringify(convert(schema, 'reply'));
}

/** The name of an exported schema in the document: `Lead`, and `LeadInput` where requests write it differently. */
function wireName(name: string, place: Place): string {
  return place !== 'reply' && differing.has(name) ? `${name}Input` : name;
}

function render(schema: z.ZodType, place: Place): JsonSchema {
  return tidy(convert(schema, place), place);
}

function convert(schema: z.ZodType, place: Place): JsonSchema {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    metadata: schemaNames,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => rewrite(zodSchema, jsonSchema as JsonSchema, place),
  });
  return json as JsonSchema;
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
  const { description, examples } = z.globalRegistry.get(node) ?? {};
  if (def.type === 'pipe') rewritePipe(node, def, json, place);
  if (def.type === 'object' && place === 'reply') json.required = present(def.shape ?? {});
  if (def.type === 'default') {
    if (place === 'reply') delete json.default;
    else json.default = def.defaultValue;
  }
  // A reference leads to the description of what it refers to.
  const parent = node._zod.parent;
  const isInherited =
    parent !== undefined && schemaNames.has(parent) && z.globalRegistry.get(parent)?.description === description;
  if (description && !isInherited) json.description = description;
  if (Array.isArray(examples)) json.examples = examples;
}

/** The wire side of a codec says too little about ids, about numbers and flags in a query, and about text that is trimmed first. */
function rewritePipe(node: SchemaNode, { out }: Def, json: JsonSchema, place: Place): void {
  const type = idTypeOf(node);
  if (type) {
    replace(json, { $ref: home + idName(type) });
    return;
  }
  const isCodec = node instanceof z.ZodCodec;
  const meant =
    isCodec && place !== 'query'
      ? undefined
      : z.toJSONSchema(out as z.ZodType, { io: 'input', unrepresentable: 'any' });
  if (meant?.type) replace(json, meant as JsonSchema);
}

const nouns: Partial<Record<ResourceType, string>> = { api_key: 'API key', audit_log: 'audit log entry' };

/** The schema of a type of id, which all fields of the type refer to. Requests may write the type before the id. */
function idSchema(type: ResourceType): JsonSchema {
  const noun = nouns[type] ?? type.replaceAll('_', ' ');
  return {
    type: 'string',
    description: `Id of ${withArticle(noun)}. Requests may write it with its type: \`${type}_…\`.`,
    pattern: `^(?:${type}_)?[0-9A-Za-z]{16,20}$`,
    examples: [exampleId(type)],
  };
}

const idSchemas = Object.fromEntries(
  (Object.keys(resourceTypes) as ResourceType[]).map((type) => [idName(type), idSchema(type)]),
);

/** `CoMarketingResourceId` */
function idName(type: ResourceType): string {
  return `${pascal(type)}Id`;
}

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
const formatsWithoutPattern = ['date', 'date-time', 'email', 'ipv4', 'ipv6'];
// Names that only zod knows; the pattern says what they mean.
const formatsOfZod = ['cidrv4', 'cidrv6'];

/** Rewrites what zod produces: references into the document, `null` as a type, no empty keywords. */
function tidy(json: JsonSchema, place: Place): JsonSchema {
  const tidied = mapSchemas(json, (one) => tidy(one, place));
  if (tidied.$ref?.startsWith(inZod)) tidied.$ref = home + wireName(tidied.$ref.slice(inZod.length), place);
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

/** Exported schemas that requests write differently from replies: fields with defaults are optional, ids may have a prefix. */
const differing = new Set(
  [...exportedSchemas].filter(([, schema]) => isDifferentInRequests(schema)).map(([name]) => name),
);
