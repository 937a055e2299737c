import { createContext, Script } from 'node:vm';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { buildInstance, Unbuildable } from './build-instance.ts';

/** A schema that was read and found usable. */
export interface ReadSchema {
  /** What is wrong with a value, a sentence each; empty when it fits. */
  faults(value: unknown): string[];
  /** The smallest value that fits. */
  smallest: unknown;
}

/** A JSON Schema that cannot be used; the message is a sentence for the caller. */
export class SchemaError extends Error {}

const bytesMax = 64 * 1024;
const levelsMax = 10;
// A schema inside a schema stands two levels of JSON deeper, and there may be data at its end.
const jsonLevelsMax = 40;
const timeMs = 1_000;

const options = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  allErrors: false,
  // Inlined, references to references grow to the power of their depth.
  inlineRefs: false,
  logger: false,
} as const;

// A request reads its schema several times.
const read = new WeakMap<object, ReadSchema>();

/**
 * Reads a JSON Schema that somebody sent: draft 2020-12, or draft 7 if `$schema` says so. Reading it and checking
 * values against it are bounded in time.
 * @throws SchemaError with what is wrong with it
 */
export function readSchema(given: unknown): ReadSchema {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new SchemaError('Must be an object');
  const known = read.get(given);
  if (known) return known;
  checkLevels(given, jsonLevelsMax);
  if (Buffer.byteLength(JSON.stringify(given)) > bytesMax) throw new SchemaError('Must be at most 64 KB');
  const { $schema = '', ...schema } = given as Record<string, unknown>;
  for (const part of subschemas(schema)) checkKeywords(part);
  const usable = bounded((): ReadSchema => {
    const validate = compile(schema, String($schema));
    const fits = (value: unknown) => validate(value) === true;
    try {
      return { faults: (value) => faultsOf(value, validate), smallest: buildInstance(schema, fits) };
    } catch (error) {
      if (error instanceof Unbuildable) throw new SchemaError(error.message);
      throw error;
    }
  });
  read.set(given, usable);
  return usable;
}

/**
 * The smallest value that fits a JSON Schema: const, the first of enum, default, examples, then what type, bounds and
 * format ask for. Of an object its required properties, or all of them when the schema requires none.
 * @throws SchemaError when the schema cannot be used or no such value is found
 */
export function smallestInstance(schema: object): unknown {
  return readSchema(schema).smallest;
}

function faultsOf(value: unknown, validate: ValidateFunction): string[] {
  try {
    return bounded(() => (validate(value) ? [] : (validate.errors ?? []).map(sentence)));
  } catch (error) {
    if (error instanceof SchemaError) return [error.message];
    throw error;
  }
}

let drafts: { seven: Ajv; latest: Ajv } | undefined;

function compile(schema: object, draft: string): ValidateFunction {
  drafts ??= { seven: formats.default(new Ajv(options)), latest: formats.default(new Ajv2020(options)) };
  const ajv = draft.includes('draft-07') ? drafts.seven : drafts.latest;
  try {
    return ajv.compile(schema);
  } catch (error) {
    if (error instanceof Error && !isEndless(error))
      throw new SchemaError(`Not a usable JSON Schema: ${error.message.slice(0, 300)}`);
    throw error;
  } finally {
    // What is compiled lives as long as its request, not as long as the process.
    ajv.removeSchema(schema);
  }
}

const tooDeep = `Must be nested at most ${levelsMax} levels deep`;

/** Counts levels before anything else walks through it: a value that is deep enough overflows the stack. */
function checkLevels(value: unknown, left: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (left === 0) throw new SchemaError(tooDeep);
  for (const inner of Object.values(value)) checkLevels(inner, left - 1);
}

const holdsData = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired']);
const holdsNames = new Set(['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);

/** A schema and all schemas inside it; what stands where data stands is none. */
function* subschemas(schema: unknown, level = 1): Generator<Record<string, unknown>> {
  if (typeof schema !== 'object' || schema === null) return;
  if (Array.isArray(schema)) {
    for (const one of schema) yield* subschemas(one, level);
    return;
  }
  if (level > levelsMax) throw new SchemaError(tooDeep);
  yield schema as Record<string, unknown>;
  for (const [keyword, inner] of Object.entries(schema)) {
    if (holdsData.has(keyword)) continue;
    if (holdsNames.has(keyword) && typeof inner === 'object' && inner !== null) {
      for (const one of Object.values(inner)) yield* subschemas(one, level + 1);
    } else yield* subschemas(inner, level + 1);
  }
}

// A pattern can take longer than anybody waits, and no value for it can be made up. Names would outlive the request.
const refused = [
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
  const keyword = refused.find((one) => Object.hasOwn(schema, one));
  if (keyword) throw new SchemaError(`${keyword} is not supported`);
  const { $ref } = schema;
  if ($ref !== undefined && !(typeof $ref === 'string' && /^#(\/|$)/.test($ref)))
    throw new SchemaError('$ref must point inside the schema, such as #/$defs/item');
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  const where = instancePath ? instancePath.slice(1).replaceAll('/', '.') : 'The value';
  const allowed = 'allowedValues' in params ? ` (${JSON.stringify(params.allowedValues).slice(0, 200)})` : '';
  return `${where} ${message}${allowed}`;
}

const room = createContext({ work: undefined as unknown });
const run = new Script('work()');

/** Runs something that a caller can make long, and stops it: nothing else runs meanwhile. */
function bounded<T>(work: () => T): T {
  const before = room.work;
  room.work = work;
  try {
    return run.runInContext(room, { timeout: timeMs });
  } catch (error) {
    if (isEndless(error)) throw new SchemaError('Takes too long to check, or refers to itself without an end');
    throw error;
  } finally {
    room.work = before;
  }
}

/** Whether the time or the stack was not enough. */
function isEndless(error: unknown): boolean {
  return error instanceof RangeError || (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
