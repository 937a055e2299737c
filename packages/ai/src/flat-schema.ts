/** A schema as an object; `true` is the empty one. */
export type Schema = Record<string, unknown>;

const referencesMax = 50;

/** Resolves the references of a schema, merges its allOf, and chooses one of its alternatives. */
export function flat(input: unknown, root: Schema, branch: number, references = 0): Schema {
  if (typeof input !== 'object' || input === null) return {};
  const { $ref, allOf, anyOf, oneOf, ...own } = input as Schema;
  if (references > referencesMax) return own;
  const parts = [
    ...($ref === undefined ? [] : [follow(String($ref), root)]),
    ...(Array.isArray(allOf) ? allOf : []),
    ...[anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? [list[branch % list.length]] : [])),
  ];
  return parts.reduce<Schema>((merged, part) => merge(merged, flat(part, root, branch, references + 1)), own);
}

function follow(ref: string, root: Schema): unknown {
  let at: unknown = root;
  for (const part of ref.split('/').slice(1)) {
    const key = unescapePart(part);
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return {};
    at = (at as Schema)[key];
  }
  return at;
}

/** Unescapes a part of a reference. Ajv has already rejected invalid URI fragments; here they resolve to nothing. */
function unescapePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

const lowerBounds = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']);
const upperBounds = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

function merge(one: Schema, other: Schema): Schema {
  const merged = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    merged[keyword] = keyword in one ? mergeKeyword(keyword, one[keyword], value) : value;
  }
  return merged;
}

function mergeKeyword(keyword: string, one: unknown, other: unknown): unknown {
  if (lowerBounds.has(keyword)) return Math.max(Number(one), Number(other));
  if (upperBounds.has(keyword)) return Math.min(Number(one), Number(other));
  if (keyword === 'required') return [...new Set([...(one as string[]), ...(other as string[])])];
  if (keyword === 'properties') return mergeProperties(one as Schema, other as Schema);
  if (keyword === 'items' && !Array.isArray(one) && !Array.isArray(other)) return { allOf: [one, other] };
  if (keyword === 'enum') return intersection(one as unknown[], other as unknown[]);
  if (keyword === 'type') return intersection([one].flat(), [other].flat());
  if (keyword === 'uniqueItems') return one || other;
  // Validating the whole value finds conflicts that are not merged here.
  return one;
}

function mergeProperties(one: Schema, other: Schema): Schema {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const schemas = [...names].map((name) => [
    name,
    { allOf: [one, other].flatMap((properties) => (Object.hasOwn(properties, name) ? [properties[name]] : [])) },
  ]);
  return Object.fromEntries(schemas);
}

function intersection(one: unknown[], other: unknown[]): unknown[] {
  const known = new Set(other.map((value) => JSON.stringify(value)));
  return one.filter((value) => known.has(JSON.stringify(value)));
}
