import { z } from 'zod';
import { idType } from './id.ts';
import type { Definition, SchemaNode } from './walk.ts';

const secrets = z.registry<{ isSecret: true }>();

/** Replaces the value of a secret field in logs. */
export const redacted = '[redacted]';

/**
 * Marks a field whose value must not reach a log: a password, a key, a token, or an address that gives access by itself.
 * `redact` replaces it. Fields of events and records that are never returned need no mark.
 */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  // A copy, because the schema may be used in other fields too.
  const marked = schema.clone() as Schema;
  secrets.add(marked, { isSecret: true });
  return marked;
}

/** The position of a secret in a JSON value: property names, with '*' for every array element or record value. */
export type SecretPath = readonly string[];

/** Every position of a schema that `secret` marks. */
export function secretPaths(schema: SchemaNode | undefined): SecretPath[] {
  return schema ? pathsIn(schema, [], []) : [];
}

function pathsIn(schema: SchemaNode, path: SecretPath, within: readonly SchemaNode[]): SecretPath[] {
  if (secrets.get(schema)) return [path];
  // A recursive schema is read down to its first repetition.
  if (idType(schema) || within.includes(schema)) return [];
  const definition = schema._zod.def as Definition & { innerType?: SchemaNode; getter?: () => SchemaNode };
  const inside = (child: SchemaNode | undefined, step?: string) =>
    child ? pathsIn(child, step === undefined ? path : [...path, step], [...within, schema]) : [];
  switch (definition.type) {
    case 'object':
      return Object.entries(definition.shape ?? {}).flatMap(([name, child]) => inside(child, name));
    case 'array':
      return inside(definition.element, '*');
    case 'record':
      return inside(definition.valueType, '*');
    case 'union':
      return (definition.options ?? []).flatMap((option) => inside(option));
    case 'intersection':
      return [...inside(definition.left), ...inside(definition.right)];
    case 'pipe':
      return inside(definition.in);
    case 'lazy':
      return inside(definition.getter?.());
    default:
      return inside(definition.innerType);
  }
}

/** Replaces the values at positions of secrets in a parsed JSON value, in place. Null stays, because it is no secret. */
export function redact(value: unknown, paths: readonly SecretPath[]): void {
  for (const path of paths) replaceAt(value, path, 0);
}

function replaceAt(value: unknown, path: SecretPath, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  const step = path[depth] as string;
  const fields = value as Record<string, unknown>;
  const names = step === '*' ? Object.keys(fields) : Object.hasOwn(fields, step) ? [step] : [];
  for (const name of names) {
    if (depth < path.length - 1) replaceAt(fields[name], path, depth + 1);
    else if (fields[name] !== null) fields[name] = redacted;
  }
}
