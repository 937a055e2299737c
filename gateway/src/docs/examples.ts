import { nextExampleId } from './example-ids.ts';
import type { JsonSchema } from './json.ts';
import type { Schemas } from './schemas.ts';

interface Spot {
  schemas: Schemas;
  /** The path of the value for error messages: `createLead.email`. */
  path: string;
  /** The index of the value in its list. */
  index: number;
  /** In requests, optional ids and fields that are usually null are omitted. */
  isRequest: boolean;
}

const now = '2026-03-02T09:15:00.000Z';

/**
 * A deterministic, realistic value that the schema accepts. Contracts provide examples next to their schemas, except
 * where the schema is sufficient, such as for an enum or a boolean.
 * @throws when a text has no example
 */
export function exampleOf(schema: JsonSchema, schemas: Schemas, path: string, { isRequest = false } = {}): unknown {
  return exampleValue(schema, { schemas, path, index: 0, isRequest });
}

function exampleValue(schema: JsonSchema, spot: Spot): unknown {
  if (schema.examples) return spot.index ? nextExampleId(schema.examples[0], spot.index) : schema.examples[0];
  if ('default' in schema) return schema.default;
  if (schema.$ref)
    return exampleValue(spot.schemas.resolve(schema), { ...spot, path: schema.$ref.split('/').at(-1) ?? '' });
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[spot.index % schema.enum.length];
  if (schema.anyOf) return exampleValue(schema.anyOf[0] as JsonSchema, spot);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return objectOf(schema, spot);
    case 'array':
      return listOf(schema, spot);
    case 'string':
      return textOf(schema, spot);
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1));
    case 'boolean':
      return true;
    default:
      throw new Error(needed(spot.path));
  }
}

function objectOf({ properties, required = [] }: JsonSchema, spot: Spot): unknown {
  if (!properties) return {};
  const fields = Object.entries(properties).filter(
    ([field, schema]) => !spot.isRequest || required.includes(field) || isWorthSending(schema, spot),
  );
  return Object.fromEntries(
    fields.map(([field, schema]) => [
      field,
      exampleValue(schema, { ...spot, index: 0, path: `${spot.path}.${field}` }),
    ]),
  );
}

/** Example ids do not exist for the reader, and null changes nothing. */
function isWorthSending(schema: JsonSchema, { schemas }: Spot): boolean {
  const { anyOf, items, examples } = schema;
  const isId = [schema, anyOf?.[0], items].some((one) => one && schemas.resolve(one).pattern?.includes('{16,20}'));
  return !isId && examples?.[0] !== null;
}

function listOf({ items = {}, minItems = 1 }: JsonSchema, spot: Spot): unknown[] {
  return Array.from({ length: Math.max(1, minItems) }, (_, index) => exampleValue(items, { ...spot, index }));
}

function textOf({ format }: JsonSchema, { path }: Spot): string {
  if (format === 'date-time') return now;
  if (format === 'email') return 'ada@example.com';
  throw new Error(needed(path));
}

function needed(path: string): string {
  return `${path} needs an example: .meta({ examples: […] }) beside its schema`;
}
