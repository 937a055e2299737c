import { idType } from './id.ts';
import { type Definition, type SchemaNode, unwrap, walkIds } from './walk.ts';

/**
 * Version of the id positions of a schema: equal when the same fields hold ids of the same types. A service sends it
 * with each response, so that a gateway of another release notices ids it does not know.
 */
export function idPathsVersion(schema: SchemaNode | undefined): string {
  const text = walkIds(schema)
    .map(({ path, type }) => `${path.join('.')} ${type}`)
    .sort()
    .join('\n');
  // FNV-1a, because contracts also run in browsers, which have no synchronous digest.
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** Removes undeclared properties in place. Free-form values stay. */
export function dropUnknownFields(schema: SchemaNode, value: unknown): void {
  drop([schema], value);
}

function drop(schemas: readonly SchemaNode[], value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const definitions = schemas.flatMap(alternatives);
  if (Array.isArray(value)) {
    const elements = definitions.flatMap(({ element }) => element ?? []);
    for (const item of value) drop(elements, item);
    return;
  }
  const records = definitions.flatMap(({ valueType }) => valueType ?? []);
  if (records.length) {
    for (const inner of Object.values(value)) drop(records, inner);
    return;
  }
  const shapes = definitions.flatMap(({ shape }) => (shape ? [shape] : []));
  // Neither object nor record: accepts any value.
  if (!shapes.length) return;
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    const declared = shapes.flatMap((shape) => (Object.hasOwn(shape, name) ? [shape[name] as SchemaNode] : []));
    if (declared.length) drop(declared, fields[name]);
    else delete fields[name];
  }
}

/** The known properties of a value. `undefined` instead of a form means that the content is not checked. */
interface Form {
  fields?: Map<string, Form | undefined>;
  /** The form of array elements, or of the values of a record. */
  each?: Form;
}

const forms = new WeakMap<SchemaNode, { form: Form | undefined }>();
// Bounds the work for a body with thousands of small objects; further ones are not checked.
const objectsMax = 1_000;

/**
 * The paths of properties that a schema does not declare, such as `address.zipp` or `items.2.nam`; at most `max`.
 * Free-form values and objects that reject unknown properties themselves have none. Schemas are compiled on first use.
 */
export function unknownFields(schema: SchemaNode, value: unknown, max: number): string[] {
  const compiled = forms.get(schema) ?? { form: formOf([schema], []) };
  forms.set(schema, compiled);
  const found: string[] = [];
  if (compiled.form && max > 0) collect(compiled.form, value, '', { found, max, left: objectsMax });
  return found;
}

function collect(
  form: Form,
  value: unknown,
  path: string,
  state: { found: string[]; max: number; left: number },
): void {
  if (typeof value !== 'object' || value === null || state.left-- <= 0) return;
  const { fields, each } = form;
  if (!fields || Array.isArray(value)) {
    if (!each || (fields && !Array.isArray(value))) return;
    for (const [name, inner] of Object.entries(value)) {
      if (state.found.length >= state.max || state.left <= 0) return;
      collect(each, inner, `${path}${name}.`, state);
    }
    return;
  }
  for (const name of Object.keys(value)) {
    if (state.found.length >= state.max) return;
    if (!fields.has(name)) state.found.push(`${path}${name}`);
    else {
      const inner = fields.get(name);
      if (inner) collect(inner, (value as Record<string, unknown>)[name], `${path}${name}.`, state);
    }
  }
}

/** Compiles the form of a value that matches any of the schemas; undefined if it cannot have unknown properties. */
function formOf(schemas: readonly SchemaNode[], within: readonly SchemaNode[]): Form | undefined {
  // A recursive schema is checked down to its first repetition.
  if (schemas.some((schema) => within.includes(schema))) return undefined;
  const inside = [...within, ...schemas];
  const definitions = schemas.flatMap(alternatives);
  const isOpen = definitions.some(({ type, catchall }) => type === 'any' || type === 'unknown' || catchall);
  const shapes = definitions.flatMap(({ shape }) => (shape ? [shape] : []));
  const values = definitions.flatMap(({ valueType }) => valueType ?? []);
  if (isOpen || (shapes.length && values.length)) return undefined;
  const inner = definitions.flatMap(({ element, valueType }) => element ?? valueType ?? []);
  const each = inner.length ? formOf(inner, inside) : undefined;
  if (!shapes.length) return each && { each };
  const names = new Set(shapes.flatMap((shape) => Object.keys(shape)));
  const fields = [...names].map((name) => {
    const declared = shapes.flatMap((shape) => (Object.hasOwn(shape, name) ? [shape[name] as SchemaNode] : []));
    return [name, formOf(declared, inside)] as const;
  });
  return { fields: new Map(fields), ...(each && { each }) };
}

/** The definitions that a value may follow: all options of a union, and both sides of an intersection. */
function alternatives(schema: SchemaNode): Definition[] {
  const node = unwrap(schema);
  const definition = node._zod.def as Definition;
  if (idType(node)) return [];
  if (definition.type === 'union') return (definition.options ?? []).flatMap(alternatives);
  if (definition.type === 'intersection')
    return [definition.left, definition.right].flatMap((side) => (side ? alternatives(side) : []));
  if (definition.type === 'pipe' && definition.in) return alternatives(definition.in);
  return [definition];
}
