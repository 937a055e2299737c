import { otherExampleId } from './example-ids.ts';
import {
  leftOut,
  lists,
  now,
  numbers,
  objects,
  recordKeys,
  texts,
  times,
  usuallyFalse,
  usuallyNull,
} from './example-values.ts';
import type { JsonSchema } from './json.ts';

/** Where in a document an example is made. */
export interface ExampleContext {
  /** The named schemas that references lead to. */
  named: Record<string, JsonSchema>;
  /** What the outermost object is called: an operation, or the schema it answers with. */
  owner: string;
  /** In what callers send, ids that may be left out are: they would name nothing. */
  isRequest?: boolean;
}

interface Spot extends ExampleContext {
  field: string;
  index: number;
  isOptional: boolean;
}

/** A value that the schema accepts and a reader recognises; the same on every call. */
export function exampleOf(schema: JsonSchema, context: ExampleContext): unknown {
  return value(schema, { ...context, field: context.owner, index: 0, isOptional: false });
}

function value(schema: JsonSchema, spot: Spot): unknown {
  if (schema.$ref) return followed(schema.$ref, spot);
  if (admitsNull(schema) && usuallyNull.includes(spot.field)) return null;
  if (schema.examples) return spot.index ? otherExampleId(schema.examples[0], spot.index - 1) : schema.examples[0];
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (schema.enum) return choice(schema.enum, spot);
  if (schema.anyOf) return value(schema.anyOf[0] as JsonSchema, spot);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return object(schema, spot);
    case 'array':
      return array(schema, spot);
    case 'string':
      return text(schema, spot);
    case 'integer':
    case 'number':
      return lookUp(numbers, spot) ?? Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1));
    case 'boolean':
      return !usuallyFalse.includes(spot.field);
    default:
      return lookUp(objects, spot) ?? lookUp(texts, spot) ?? null;
  }
}

function followed(ref: string, spot: Spot): unknown {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return value(spot.named[name] as JsonSchema, { ...spot, field: name });
}

function admitsNull({ type, anyOf }: JsonSchema): boolean {
  return [type].flat().includes('null') || (anyOf?.some((one) => one.type === 'null') ?? false);
}

/** The first of a list; but a request that must name a status names the next one, since it is to change something. */
function choice(values: unknown[], spot: Spot): unknown {
  const { field, index, isRequest, isOptional } = spot;
  const known = lookUp(texts, spot);
  if (known !== undefined && values.includes(known)) return known;
  const isChange = isRequest && !isOptional && field === 'status';
  return values[(index + (isChange ? 1 : 0)) % values.length];
}

function object({ properties, required = [], additionalProperties }: JsonSchema, spot: Spot): unknown {
  const known = lookUp(objects, spot);
  if (known) return known;
  if (!properties) return record(additionalProperties, spot);
  const fields = Object.entries(properties).filter(
    ([field, one]) => !spot.isRequest || required.includes(field) || !(isId(one) || leftOut.includes(field)),
  );
  const inside = { ...spot, owner: spot.field, index: 0 };
  return Object.fromEntries(
    fields.map(([field, one]) => [field, value(one, { ...inside, field, isOptional: !required.includes(field) })]),
  );
}

function isId({ pattern }: JsonSchema): boolean {
  return pattern?.includes('{16,20}') ?? false;
}

function record(values: JsonSchema | boolean | undefined, spot: Spot): object {
  const key = recordKeys[spot.field];
  if (!key) return {};
  return { [key]: typeof values === 'object' ? value(values, spot) : (texts[spot.field] ?? 'value') };
}

function array({ items = {}, minItems = 1 }: JsonSchema, spot: Spot): unknown[] {
  const known = lookUp(lists, spot);
  if (known) return known;
  // The status a lead has is not one that it may move to.
  if (spot.field === 'allowedTransitions') return (items.enum ?? []).slice(1);
  return Array.from({ length: Math.max(1, minItems) }, (_, index) => value(items, { ...spot, index }));
}

function text({ format, pattern }: JsonSchema, spot: Spot): string {
  if (format === 'date-time') return lookUp(times, spot) ?? now;
  if (format === 'email') return texts.email as string;
  if (format === 'ipv4') return '203.0.113.7';
  const known = lookUp(texts, spot);
  if (known !== undefined) return known;
  if (pattern) throw new Error(`${spot.owner}.${spot.field} needs an example in example-values.ts`);
  return spot.field;
}

function lookUp<T>(values: Record<string, T>, { owner, field }: Spot): T | undefined {
  return values[`${owner}.${field}`] ?? values[field];
}
