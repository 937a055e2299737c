import type { JsonSchema } from './json.ts';
import type { Schemas } from './schemas.ts';

/** The description of a field: its own, or else that of the schema it refers to. */
export function descriptionOf(field: JsonSchema, schemas: Schemas): string | undefined {
  const value = field.anyOf?.[0] ?? field;
  return field.description ?? schemas.resolve(value).description;
}

/**
 * Gives the fields of a request the descriptions and examples of the fields with the same names in a record. What the
 * request's own schema says is kept.
 */
export function describeLike(request: JsonSchema, record: JsonSchema, schemas: Schemas): void {
  for (const [name, field] of Object.entries(request.properties ?? {})) {
    const like = record.properties?.[name];
    if (!like) continue;
    const { description, examples } = like;
    if (description) field.description ??= description;
    if (examples?.every((one) => one !== null || isNullable(field))) field.examples ??= examples;
    const inner = schemas.resolve(like);
    if (!field.$ref && inner.properties) describeLike(field, inner, schemas);
  }
}

function isNullable({ type, anyOf }: JsonSchema): boolean {
  return [type].flat().includes('null') || (anyOf?.some((one) => one.type === 'null') ?? false);
}
