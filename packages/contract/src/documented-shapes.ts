import type { z } from 'zod';

type Shapes = Readonly<Record<string, z.ZodType>>;

const documented = new WeakMap<z.core.$ZodType, Shapes>();

/**
 * Documents the shapes that the values of a loose schema can have, each with its title. The schema itself checks as before: a
 * draft, for example, is stored although it is not complete.
 */
export function withShapes<Schema extends z.ZodType>(schema: Schema, shapes: Shapes): Schema {
  documented.set(schema, shapes);
  return schema;
}

/** The documented shapes of a schema, by title; undefined if it has none. */
export function shapesOf(schema: z.core.$ZodType): Shapes | undefined {
  return documented.get(schema);
}
