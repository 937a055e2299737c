import type { z } from 'zod';
import { type IdKind, idType } from './id.ts';

export type SchemaNode = z.core.$ZodType;

/** The parts of a zod definition that a walk needs: the kind of the schema and the schemas inside it. */
export interface Definition {
  type: string;
  shape?: Record<string, SchemaNode>;
  element?: SchemaNode;
  valueType?: SchemaNode;
  /** The schema of properties that an object does not declare; absent if they are dropped. */
  catchall?: SchemaNode;
  options?: SchemaNode[];
  left?: SchemaNode;
  right?: SchemaNode;
  in?: SchemaNode;
}

/** Strips optional, nullable, default and similar wrappers from a schema. */
export function unwrap(schema: SchemaNode): SchemaNode {
  let node = schema;
  for (;;) {
    if (idType(node)) return node;
    const def = node._zod.def as { type: string; innerType?: SchemaNode; in?: SchemaNode; getter?: () => SchemaNode };
    if (def.innerType) node = def.innerType;
    else if (def.type === 'lazy' && def.getter) node = def.getter();
    else return node;
  }
}

/** The resource type, or union of types, of an id field, through optional and nullable wrappers. */
export function idTypeOf(schema: SchemaNode): IdKind | undefined {
  return idType(unwrap(schema));
}

/** The path of one id position in a JSON value: property names, with '*' for every array element or record value. */
export interface IdPath {
  path: string[];
  type: IdKind;
}

/** Returns every id position of a schema. Free-form values (records of unknown) have none. */
export function walkIds(schema: SchemaNode | undefined, path: string[] = []): IdPath[] {
  if (!schema) return [];
  const node = unwrap(schema);
  const type = idType(node);
  if (type) return [{ path, type }];
  const def = node._zod.def as Definition;
  const inside = (child: SchemaNode | undefined, step?: string) =>
    walkIds(child, step === undefined ? path : [...path, step]);
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape ?? {}).flatMap(([key, child]) => inside(child, key));
    case 'array':
      return inside(def.element, '*');
    case 'record':
      return inside(def.valueType, '*');
    case 'union':
      return distinct((def.options ?? []).flatMap((option) => inside(option)));
    case 'intersection':
      return distinct([...inside(def.left), ...inside(def.right)]);
    default:
      return [];
  }
}

function distinct(paths: IdPath[]): IdPath[] {
  const seen = new Map<string, IdPath>();
  for (const found of paths) {
    const key = found.path.join('.');
    const before = seen.get(key);
    if (before && before.type !== found.type) {
      throw new Error(
        `The field ${key} contains ids of two types, ${before.type} and ${found.type}: use a separate field for each`,
      );
    }
    seen.set(key, found);
  }
  return [...seen.values()];
}
