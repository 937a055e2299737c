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
