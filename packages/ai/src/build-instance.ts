import { flat, type Schema } from './flat-schema.ts';

/** No value could be built for a schema; the message is a sentence for the caller. */
export class UnbuildableError extends Error {}

/** A strategy for what the schema leaves open. */
interface Strategy {
  /** Which of several alternatives is taken, everywhere. */
  branch: number;
  /** Whether default and examples are used; they may be invalid. */
  hints: boolean;
  /** Whether an object without required properties gets all its properties. */
  optional: boolean;
}

interface Work extends Strategy {
  root: Schema;
  /** How many more values may be built: references can expand beyond memory. */
  budget: number;
  /** How many more characters all values may have together, because one long value can be repeated many times. */
  room: number;
}

const valuesMax = 5_000;
const levelsMax = 40;
const lengthMax = 50_000;
const charactersMax = 200_000;
const branchesMax = 5;

/**
 * Builds the smallest value of a schema that `fits`, trying several strategies.
 * @throws UnbuildableError when none succeeds
 */
export function buildInstance(schema: object, fits: (value: unknown) => boolean): unknown {
  for (const strategy of strategies()) {
    try {
      const value = build(
        schema,
        { ...strategy, root: schema as Schema, budget: valuesMax, room: charactersMax },
        0,
        0,
      );
      if (fits(value)) return value;
    } catch (error) {
      // Another strategy may need less.
      if (!(error instanceof UnbuildableError)) throw error;
    }
  }
  throw new UnbuildableError('No valid value could be generated; add a default or an example, or simplify the schema');
}

function* strategies(): Generator<Strategy> {
  for (let branch = 0; branch < branchesMax; branch++) {
    for (const hints of [true, false]) for (const optional of [true, false]) yield { branch, hints, optional };
  }
}

/** @param nth makes values differ where they must be unique: 0 is the smallest */
function build(input: unknown, work: Work, nth: number, level: number): unknown {
  if (--work.budget < 0 || level > levelsMax) throw new UnbuildableError('Requires too large a value');
  const schema = flat(input, work.root, work.branch);
  if ('const' in schema) return withinRoom(schema.const, work);
  if (Array.isArray(schema.enum) && schema.enum.length) return withinRoom(schema.enum[nth % schema.enum.length], work);
  if (work.hints && 'default' in schema) return withinRoom(schema.default, work);
  if (work.hints && Array.isArray(schema.examples) && schema.examples.length)
    return withinRoom(schema.examples[nth % schema.examples.length], work);
  switch (typeOf(schema, work.branch)) {
    case 'object':
      return object(schema, work, level);
    case 'array':
      return array(schema, work, level);
    case 'string':
      return withinRoom(text(schema, nth), work);
    case 'integer':
      return number(schema, nth, Number(schema.multipleOf ?? 1));
    case 'number':
      return number(schema, nth, schema.multipleOf === undefined ? undefined : Number(schema.multipleOf));
    case 'boolean':
      return nth % 2 === 1;
    default:
      return null;
  }
}

/** Subtracts the size of a value from the remaining room. */
function withinRoom<T>(value: T, work: Work): T {
  work.room -= JSON.stringify(value).length;
  if (work.room < 0) throw new UnbuildableError('Requires too large a value');
  return value;
}

const typesByKeyword: [type: string, keywords: string[]][] = [
  ['object', ['properties', 'required', 'minProperties', 'additionalProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'contains', 'uniqueItems']],
  ['string', ['minLength', 'maxLength', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

function typeOf(schema: Schema, branch: number): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type) && type.length) return String(type[branch % type.length]);
  return typesByKeyword.find(([, keywords]) => keywords.some((keyword) => keyword in schema))?.[0] ?? 'object';
}

function object(schema: Schema, work: Work, level: number): object {
  const properties = (schema.properties ?? {}) as Record<string, unknown>;
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const names = new Set(required.length || !work.optional ? required : Object.keys(properties));
  const atLeast = Number(schema.minProperties ?? 0);
  for (const name of Object.keys(properties)) if (names.size < atLeast) names.add(name);
  for (let extra = 1; names.size < atLeast; extra++) {
    if (extra > valuesMax) throw new UnbuildableError('Requires too large a value');
    names.add(`property${extra}`);
  }
  withinRoom([...names], work);
  const other = schema.additionalProperties ?? true;
  const schemaOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : other);
  return Object.fromEntries([...names].map((name) => [name, build(schemaOf(name), work, 0, level + 1)]));
}

function array(schema: Schema, work: Work, level: number): unknown[] {
  // Draft 7 declares a tuple by an array of items.
  const tuple = (schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : [])) as unknown[];
  const rest = (Array.isArray(schema.items) ? schema.additionalItems : schema.items) ?? true;
  const contained = schema.contains === undefined ? 0 : Number(schema.minContains ?? 1);
  const count = Math.max(Number(schema.minItems ?? 0), contained);
  if (count > valuesMax) throw new UnbuildableError('Requires too large a value');
  return Array.from({ length: count }, (_, index) => {
    const item = index < tuple.length ? tuple[index] : rest;
    const wanted = index < contained ? { allOf: [item, schema.contains] } : item;
    return build(wanted, work, schema.uniqueItems ? index : 0, level + 1);
  });
}

const byFormat: Record<string, string> = {
  date: '2026-01-01',
  time: '00:00:00Z',
  'date-time': '2026-01-01T00:00:00Z',
  'iso-time': '00:00:00Z',
  'iso-date-time': '2026-01-01T00:00:00Z',
  duration: 'P1D',
  email: 'user@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com',
  url: 'https://example.com',
  'uri-reference': '/',
  'uri-template': '/',
  uuid: '00000000-0000-4000-8000-000000000000',
  'json-pointer': '',
  'json-pointer-uri-fragment': '#',
  'relative-json-pointer': '0',
  regex: '',
  byte: '',
};

function text(schema: Schema, nth: number): string {
  const format = byFormat[String(schema.format)];
  if (format !== undefined) return format;
  const least = Number(schema.minLength ?? 0);
  if (least > lengthMax) throw new UnbuildableError('Requires too large a value');
  const distinct = nth ? String(nth) : '';
  return distinct + 'x'.repeat(Math.max(0, least - distinct.length));
}

/** The number closest to 0 within the bounds, or the nth after it. */
function number(schema: Schema, nth: number, step: number | undefined): number {
  const bound = (keyword: string) => (typeof schema[keyword] === 'number' ? (schema[keyword] as number) : undefined);
  const above = bound('exclusiveMinimum');
  const below = bound('exclusiveMaximum');
  const least = Math.max(bound('minimum') ?? Number.NEGATIVE_INFINITY, above ?? Number.NEGATIVE_INFINITY);
  const most = Math.min(bound('maximum') ?? Number.POSITIVE_INFINITY, below ?? Number.POSITIVE_INFINITY);
  const forbidden = (value: number) => value === above || value === below;
  if (step === undefined) {
    const nearest = Math.min(Math.max(nth, least), most);
    if (!forbidden(nearest)) return nearest;
    return Number.isFinite(least) && Number.isFinite(most)
      ? (least + most) / 2
      : nearest + (nearest === above ? 1 : -1);
  }
  let value = Number.isFinite(least) && least > 0 ? Math.ceil(least / step) * step : 0;
  if (most < value) value = Math.floor(most / step) * step;
  if (forbidden(value)) value += value === above ? step : -step;
  return value + nth * step + 0;
}
