import { z } from 'zod';

const known = new WeakMap<object, { schema: z.ZodType; wire: unknown }>();

/**
 * Encodes a value into its wire form. A record that is encoded again by the same schema, such as by two events and the
 * response of one request, is encoded once. The result is shared, so neither it nor the record may be changed.
 * @throws ZodError when the value does not match the schema
 */
export function encodeOnce<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>): z.input<Schema> {
  if (typeof value !== 'object' || value === null) return z.encode(schema, value);
  const before = known.get(value);
  if (before?.schema === schema) return before.wire as z.input<Schema>;
  const wire = z.encode(schema, value);
  known.set(value, { schema, wire });
  return wire;
}
