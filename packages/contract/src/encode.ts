import { z } from 'zod';

const known = new WeakMap<object, { schema: z.ZodType; wire: unknown }>();

/**
 * A value in the form in which it travels. A record that is asked for again by the same schema, such as by two events and
 * the answer of one request, is encoded once: what comes back is shared, so neither it nor the record may be changed.
 * @throws ZodError when the value is not as the schema says
 */
export function encodeOnce<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>): z.input<Schema> {
  if (typeof value !== 'object' || value === null) return z.encode(schema, value);
  const before = known.get(value);
  if (before?.schema === schema) return before.wire as z.input<Schema>;
  const wire = z.encode(schema, value);
  known.set(value, { schema, wire });
  return wire;
}
