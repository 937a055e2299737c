import type { FieldError } from '@tandem/contract';
import { z } from 'zod';
import type { InvalidItem } from './handler.ts';
import { readFields } from './read-fields.ts';

/**
 * Parses a body with a list whose items are checked one by one. The returned body has the valid items only; errors outside of
 * the items, such as a list that is too long, are added to `errors`.
 * @param list the field with the list
 */
export function readEach(
  schema: z.ZodObject,
  list: string,
  sent: unknown,
  errors: FieldError[],
): { body: unknown; invalidItems: InvalidItem[] } {
  const items = (sent as Record<string, unknown> | null)?.[list];
  if (!Array.isArray(items)) return { body: readFields(schema, sent, errors), invalidItems: [] };
  const rest = readFields(withoutItems(schema, list), { ...(sent as object), [list]: items.map(() => null) }, errors);
  if (!rest) return { body: rest, invalidItems: [] };
  const valid: unknown[] = [];
  const invalidItems: InvalidItem[] = [];
  for (const [index, item] of items.entries()) {
    const ofItem: FieldError[] = [];
    const read = readFields((schema.shape[list] as z.ZodArray).element as z.ZodType, item, ofItem);
    if (ofItem.length) invalidItems.push({ index, errors: ofItem });
    else valid.push(read);
  }
  return { body: { ...rest, [list]: valid }, invalidItems };
}

const schemas = new WeakMap<z.ZodObject, z.ZodObject>();

/** The schema with any value as an item of its list, whose number is still checked. */
function withoutItems(schema: z.ZodObject, list: string): z.ZodObject {
  const known = schemas.get(schema);
  if (known) return known;
  const items = schema.shape[list] as z.ZodArray;
  const loose = schema.extend({ [list]: z.core.clone(items, { ...items._zod.def, element: z.unknown() }) });
  schemas.set(schema, loose);
  return loose;
}
