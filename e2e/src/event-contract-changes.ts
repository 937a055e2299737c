/** JSON Schema as zod writes it. */
export interface JsonSchema {
  [keyword: string]: unknown;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  enum?: unknown[];
  const?: unknown;
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
}

// A value below an old lower limit, or above an old upper limit, cannot be in an old event.
const lowerLimits = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'];
const upperLimits = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'];

/**
 * The changes of a contract by which an event that was written before would no longer be readable, each as a sentence.
 * @param whenMissing top-level fields for which the contract declares a value for older events
 */
export function breakingChanges(
  before: JsonSchema,
  after: JsonSchema,
  whenMissing: ReadonlySet<string> = new Set(),
): string[] {
  return compare(before, after, { path: '', before, after, whenMissing });
}

interface Place {
  path: string;
  /** The whole schemas, in which `$ref` points. */
  before: JsonSchema;
  after: JsonSchema;
  whenMissing: ReadonlySet<string>;
}

function compare(oldRaw: JsonSchema, nextRaw: JsonSchema, place: Place): string[] {
  const old = resolve(oldRaw, place.before);
  const next = resolve(nextRaw, place.after);
  if (!Object.keys(next).some((keyword) => !keyword.startsWith('$'))) return [];
  if (old.anyOf || next.anyOf) return compareAlternatives(old, next, place);
  const [oldTypes, nextTypes] = [typesOf(old), typesOf(next)];
  if (nextTypes.length && (!oldTypes.length || oldTypes.some((type) => !nextTypes.includes(type))))
    return [`${place.path || 'the event'} was ${oldTypes.join(', ') || 'anything'} and is ${nextTypes.join(', ')}`];
  return [
    ...compareValues(old, next, place),
    ...compareLimits(old, next, place),
    ...compareProperties(old, next, place),
    ...(old.items && next.items ? compare(old.items, next.items, inside(place, '*')) : []),
    ...(isSchema(old.additionalProperties) && isSchema(next.additionalProperties)
      ? compare(old.additionalProperties, next.additionalProperties, inside(place, '*'))
      : []),
  ];
}

/** Each old alternative must be readable by some new one. */
function compareAlternatives(old: JsonSchema, next: JsonSchema, place: Place): string[] {
  const nextOnes = next.anyOf ?? [next];
  return (old.anyOf ?? [old]).flatMap((alternative) => {
    const results = nextOnes.map((one) => compare(alternative, one, place));
    return results.some((faults) => !faults.length) ? [] : (results[0] ?? []);
  });
}

function compareValues(old: JsonSchema, next: JsonSchema, { path }: Place): string[] {
  const allowed = next.enum ?? (next.const === undefined ? undefined : [next.const]);
  if (!allowed) return [];
  const given = old.enum ?? (old.const === undefined ? undefined : [old.const]);
  if (!given) return [`${path} had any value and has a list of values`];
  return given.filter((value) => !allowed.includes(value)).map((value) => `${path} could be ${JSON.stringify(value)}`);
}

function compareLimits(old: JsonSchema, next: JsonSchema, { path }: Place): string[] {
  const isTighter = (keyword: string, tighter: (was: number, is: number) => boolean) => {
    const [was, is] = [old[keyword], next[keyword]];
    return typeof is === 'number' && (typeof was !== 'number' || tighter(was, is));
  };
  const changed = [
    ...lowerLimits.filter((keyword) => isTighter(keyword, (was, is) => is > was)),
    ...upperLimits.filter((keyword) => isTighter(keyword, (was, is) => is < was)),
    ...['pattern', 'format'].filter((keyword) => next[keyword] !== undefined && next[keyword] !== old[keyword]),
  ];
  return changed.map((keyword) => `${path} has a narrower ${keyword}`);
}

function compareProperties(old: JsonSchema, next: JsonSchema, place: Place): string[] {
  const faults: string[] = [];
  for (const [name, schema] of Object.entries(next.properties ?? {})) {
    const { path, whenMissing } = inside(place, name);
    const before = old.properties?.[name];
    if (before) faults.push(...compare(before, schema, inside(place, name)));
    const isRequired = next.required?.includes(name);
    const wasRequired = before && old.required?.includes(name);
    // At the top level of data and record a missing field that may be null is read as null.
    const isReadAsNull = path.split('.').length === 2 && allowsNull(schema, place.after);
    if (isRequired && !wasRequired && !isReadAsNull && !whenMissing.has(path))
      faults.push(`${path} is required and missing in older events: let it be null, or declare it in whenMissing`);
  }
  return faults;
}

function typesOf({ type = [] }: JsonSchema): string[] {
  return Array.isArray(type) ? type : [type];
}

function allowsNull(raw: JsonSchema, root: JsonSchema): boolean {
  const schema = resolve(raw, root);
  return typesOf(schema).includes('null') || (schema.anyOf ?? []).some((one) => allowsNull(one, root));
}

function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const name = /^#\/\$defs\/(.+)$/.exec(schema.$ref ?? '')?.[1];
  return name === undefined ? schema : resolve(root.$defs?.[name] ?? {}, root);
}

function inside(place: Place, step: string): Place {
  return { ...place, path: place.path ? `${place.path}.${step}` : step };
}

function isSchema(value: JsonSchema | boolean | undefined): value is JsonSchema {
  return typeof value === 'object';
}
