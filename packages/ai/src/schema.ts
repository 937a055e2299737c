import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { buildInstance, UnbuildableError } from './build-instance.ts';
import { SchemaError } from './schema-error.ts';

const bytesMax = 64 * 1024;
const levelsMax = 10;
// A nested schema is two levels of JSON deeper, and the innermost may contain data.
const jsonLevelsMax = 40;

const options = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  allErrors: false,
  // Inlining nested references grows exponentially with their depth.
  inlineRefs: false,
  // Each schema is used once: optimizing its code takes three times as long as everything else.
  code: { optimize: false },
  logger: false,
} as const;

const drafts = { seven: formats.default(new Ajv(options)), latest: formats.default(new Ajv2020(options)) };
// Compiles the meta-schemas at startup, so that it does not count toward the first customer's time limit.
for (const ajv of Object.values(drafts)) ajv.compile({});

/**
 * Compiles a JSON Schema that a customer sent: draft 2020-12, or draft 7 if `$schema` says so. The time for this, and
 * for the returned check, can grow exponentially with the schema, so both belong in a worker thread.
 * @returns a function that lists the faults of a value, one sentence each
 * @throws SchemaError with the faults of the schema
 */
export function compileSchema(input: unknown): (value: unknown) => string[] {
  const { validate } = compile(input);
  return (value) => {
    try {
      return validate(value) ? [] : (validate.errors ?? []).map(sentence);
    } catch (error) {
      if (error instanceof RangeError) return ['The value is nested too deeply to validate'];
      throw error;
    }
  };
}

/**
 * Builds the smallest value that fits a JSON Schema: const, the first of enum, default, examples, then from type,
 * bounds and format. An object gets its required properties, or all of them when none are required.
 * @throws SchemaError when the schema cannot be used or no such value is found
 */
export function smallestInstance(input: unknown): unknown {
  const { schema, validate } = compile(input);
  try {
    return buildInstance(schema, (value) => validate(value) === true);
  } catch (error) {
    if (error instanceof UnbuildableError) throw new SchemaError(error.message);
    if (error instanceof RangeError) throw new SchemaError(endless);
    throw error;
  }
}

const endless = 'Must not contain endless references, or be nested too deeply to validate';

function compile(input: unknown): { schema: object; validate: ValidateFunction } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new SchemaError('Must be an object');
  checkLevels(input, jsonLevelsMax);
  if (Buffer.byteLength(JSON.stringify(input)) > bytesMax) throw new SchemaError('Must be at most 64 KB');
  const { $schema = '', ...schema } = input as Record<string, unknown>;
  for (const part of subschemas(schema)) checkKeywords(part);
  const ajv = String($schema).includes('draft-07') ? drafts.seven : drafts.latest;
  try {
    return { schema, validate: ajv.compile(schema) };
  } catch (error) {
    if (error instanceof RangeError) throw new SchemaError(endless);
    if (error instanceof Error) throw new SchemaError(`Must be a valid JSON Schema: ${error.message.slice(0, 300)}`);
    throw error;
  } finally {
    // Ajv caches schemas by id for the lifetime of the thread.
    ajv.removeSchema(schema);
  }
}

const tooDeep = `Must be nested at most ${levelsMax} levels deep`;

/** Checks the depth of a value. Must run before any other walk, which a deep value would overflow. */
export function checkLevels(value: unknown, left: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (left === 0) throw new SchemaError(tooDeep);
  for (const inner of Object.values(value)) checkLevels(inner, left - 1);
}

const holdsData = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired']);
const holdsNames = new Set(['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);

/** Yields a schema and its subschemas; skips data such as const, enum and examples. */
function* subschemas(schema: unknown, level = 1): Generator<Record<string, unknown>> {
  if (typeof schema !== 'object' || schema === null) return;
  if (Array.isArray(schema)) {
    for (const child of schema) yield* subschemas(child, level);
    return;
  }
  if (level > levelsMax) throw new SchemaError(tooDeep);
  yield schema as Record<string, unknown>;
  for (const [keyword, inner] of Object.entries(schema)) {
    if (holdsData.has(keyword)) continue;
    if (holdsNames.has(keyword) && typeof inner === 'object' && inner !== null) {
      for (const child of Object.values(inner)) yield* subschemas(child, level + 1);
    } else yield* subschemas(inner, level + 1);
  }
}

// Patterns can backtrack for too long and have no simple smallest value. Ids would outlive the request.
const unsupported = [
  'pattern',
  'patternProperties',
  'propertyNames',
  '$id',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$async',
];

function checkKeywords(schema: Record<string, unknown>): void {
  const keyword = unsupported.find((name) => Object.hasOwn(schema, name));
  if (keyword) throw new SchemaError(`${keyword} is not supported`);
  const { $ref } = schema;
  if ($ref !== undefined && !(typeof $ref === 'string' && /^#(\/|$)/.test($ref)))
    throw new SchemaError('$ref must point to a location inside the schema, such as #/$defs/item');
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  const where = instancePath ? instancePath.slice(1).replaceAll('/', '.') : 'The value';
  const allowed = 'allowedValues' in params ? ` (${JSON.stringify(params.allowedValues).slice(0, 200)})` : '';
  return `${where} ${message}${allowed}`;
}
