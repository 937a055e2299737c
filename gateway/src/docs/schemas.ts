import {
  type IdKind,
  idTypeOf,
  idUnions,
  isIdList,
  isIdUnion,
  type ResourceType,
  resourceNoun,
  resourceTypes,
  type SchemaNode,
  shapesOf,
} from '@tandem/contract';
import { z } from 'zod';
import { exampleId } from './example-ids.ts';
import type { JsonSchema } from './json.ts';
import { pascal } from './pascal.ts';
import { exportedSchemas, schemaNames } from './vocabulary.ts';

/** Where a value is used: determines which fields are required, and how ids and numbers are represented. */
type Place = 'body' | 'query' | 'reply';

/** Converts contract schemas to JSON Schema in wire form, and collects the named ones for `components.schemas`. */
export interface Schemas {
  /** Converts a request body or form. An object that no contract exports gets the given name. */
  body(schema: z.ZodType, name: string): JsonSchema;
  /** Converts a path parameter. */
  path(schema: z.ZodType): JsonSchema;
  /** Converts a query field: the schema describes the number or boolean that the text represents. */
  query(schema: z.ZodType): JsonSchema;
  /** Converts a reply or event data. An object that no contract exports gets the given name, if there is one. */
  reply(schema: z.ZodType, name?: string): JsonSchema;
  /** Adds a named schema and returns a reference to it. */
  define(name: string, schema: JsonSchema): JsonSchema;
  /**
   * Returns a reference to a named schema and adds it if it does not exist; returns the schema itself if another schema
   * has the name.
   */
  share(name: string, schema: JsonSchema): JsonSchema;
  /** The named schemas collected so far. */
  readonly named: Record<string, JsonSchema>;
  /** The schema behind a reference to one of `named`, or the schema itself. */
  resolve(schema: JsonSchema): JsonSchema;
}

const home = '#/components/schemas/';
/** The path under which zod places named schemas. */
const inZod = '#/$defs/';
const referenceToId = /"#\/components\/schemas\/(\w+Id)"/g;

/** Creates an empty collection of schemas. */
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
    if (named[name]) throw new Error(`Two schemas have the name ${name}: rename an exported schema or an operation`);
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

/** The name of an exported schema in the document: `Lead`, or `LeadInput` if its request form differs. */
function wireName(name: string, place: Place): string {
  return place !== 'reply' && differing.has(name) ? `${name}Input` : name;
}

function render(schema: z.ZodType, place: Place): JsonSchema {
  return tidy(convert(schema, place), place);
}

function convert(schema: z.ZodType, place: Place): JsonSchema {
  const ofShapes: Record<string, JsonSchema> = {};
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    metadata: schemaNames,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      rewrite(zodSchema, jsonSchema as JsonSchema, place);
      const shapes = shapesOf(zodSchema);
      if (shapes) Object.assign(ofShapes, addShapes(jsonSchema as JsonSchema, shapes));
    },
  });
  const $defs = { ...ofShapes, ...(json as JsonSchema).$defs };
  return { ...(json as JsonSchema), ...(Object.keys($defs).length && { $defs }) };
}

/**
 * Adds the documented shapes of a loose schema, and the loose object itself, because values are stored although they have none
 * of the shapes. Returns the named schemas that they refer to. Values are returned as they were sent, so that fields
 * with a default are optional in replies too.
 */
function addShapes(json: JsonSchema, shapes: Readonly<Record<string, z.ZodType>>): Record<string, JsonSchema> {
  const converted = Object.entries(shapes).map(([title, shape]) => {
    const { $defs = {}, ...one } = convert(shape, 'body');
    return { $defs, one: { title, ...one } };
  });
  const loose = { title: 'draft', type: 'object', additionalProperties: true };
  json.anyOf = [...converted.map(({ one }) => one), loose];
  return Object.assign({}, ...converted.map(({ $defs }) => $defs));
}

interface Def {
  type: string;
  in?: SchemaNode;
  out?: SchemaNode;
  shape?: Record<string, SchemaNode>;
  defaultValue?: unknown;
}

function rewrite(node: SchemaNode, json: JsonSchema, place: Place): void {
  const def = node._zod.def as Def;
  const { description, examples } = z.globalRegistry.get(node) ?? {};
  if (def.type === 'pipe') rewritePipe(node, def, json, place);
  if (def.type === 'object' && place === 'reply') json.required = present(def.shape ?? {});
  if (def.type === 'default') {
    if (place === 'reply') delete json.default;
    else json.default = def.defaultValue;
  }
  // A reference already provides the description of its target.
  const parent = node._zod.parent;
  const isInherited =
    parent !== undefined && schemaNames.has(parent) && z.globalRegistry.get(parent)?.description === description;
  if (description && !isInherited) json.description = description;
  if (Array.isArray(examples)) json.examples = examples;
}

/** The wire schema of a codec lacks details for ids, for numbers and flags in a query, and for trimmed text. */
function rewritePipe(node: SchemaNode, { out }: Def, json: JsonSchema, place: Place): void {
  const type = idTypeOf(node);
  if (type) {
    replace(json, isIdList(node) ? idListSchema(type) : { $ref: home + idName(type) });
    return;
  }
  const isCodec = node instanceof z.ZodCodec;
  const meant =
    isCodec && place !== 'query'
      ? undefined
      : z.toJSONSchema(out as z.ZodType, { io: 'input', unrepresentable: 'any' });
  if (meant?.type) replace(json, meant as JsonSchema);
}

/** The schema of several ids in one parameter. */
function idListSchema(type: IdKind): JsonSchema {
  const one = codePattern(type);
  return { type: 'string', pattern: `^${one}(?:,${one})*$`, examples: [exampleId(type)] };
}

/** The schema of an id type, shared by all fields of the type. Requests may add the type as a prefix. */
function idSchema(type: IdKind): JsonSchema {
  const types = typesOf(type);
  const prefixes = types.map((one) => `\`${one}_…\``).join(' or ');
  return {
    type: 'string',
    description: `Id of ${types.map((one) => withArticle(resourceNoun(one))).join(' or ')}. Requests may add its type as a prefix: ${prefixes}.`,
    pattern: `^${codePattern(type)}$`,
    examples: [exampleId(type)],
  };
}

const idSchemas = Object.fromEntries(
  [...Object.keys(resourceTypes), ...Object.keys(idUnions)].map((type) => [
    idName(type as IdKind),
    idSchema(type as IdKind),
  ]),
);

function codePattern(type: IdKind): string {
  return `(?:(?:${typesOf(type).join('|')})_)?[0-9A-Za-z]{16,20}`.replace(/\(\?:(\w+)\)/, '$1');
}

function typesOf(kind: IdKind): readonly ResourceType[] {
  return isIdUnion(kind) ? idUnions[kind] : [kind];
}

/** `CoMarketingResourceId` */
function idName(type: IdKind): string {
  return `${pascal(type)}Id`;
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) && noun !== 'user' ? 'an' : 'a'} ${noun}`;
}

/** In a reply, a field with a default is always present. */
function present(shape: Record<string, SchemaNode>): string[] {
  return Object.keys(shape).filter((field) => shape[field]?._zod.optout !== 'optional');
}

function replace(json: JsonSchema, by: JsonSchema): void {
  for (const keyword of Object.keys(json)) delete json[keyword];
  const { $schema, ...rest } = by;
  Object.assign(json, rest);
}

// The format already covers the pattern, and validators interpret the pattern of a date differently.
const formatsWithoutPattern = ['date', 'date-time', 'email', 'ipv4', 'ipv6'];
// Format names that only zod defines; the pattern is sufficient.
const formatsOfZod = ['cidrv4', 'cidrv6'];

/** Normalizes zod's output: references into the document, `null` as a type, no empty keywords. */
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
  const { properties, $defs, items, anyOf, oneOf, additionalProperties } = json;
  const all = (schemas: Record<string, JsonSchema>) =>
    Object.fromEntries(Object.entries(schemas).map(([key, one]) => [key, map(one)]));
  return {
    ...json,
    ...(properties && { properties: all(properties) }),
    ...($defs && { $defs: all($defs) }),
    ...(items && { items: map(items) }),
    ...(anyOf && { anyOf: anyOf.map(map) }),
    ...(oneOf && { oneOf: oneOf.map(map) }),
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

/**
 * Exported schemas whose request form differs from the reply: fields with defaults are optional, ids may have a prefix.
 */
const differing = new Set(
  [...exportedSchemas].filter(([, schema]) => isDifferentInRequests(schema)).map(([name]) => name),
);
