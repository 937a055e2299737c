import type { JsonSchema } from './json.ts';
import type { Schemas } from './schemas.ts';

/** The description of a field, or else of the schema it refers to. */
export function descriptionOf(field: JsonSchema, schemas: Schemas): string | undefined {
  const value = field.anyOf?.[0] ?? field;
  return field.description ?? schemas.resolve(value).description;
}

/**
 * Adds descriptions and examples to request fields, taken from the record's fields with the same names. A description
 * or example in the request's own schema takes precedence.
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
