import { z } from 'zod';

// The database types some columns more widely than the contract: an enum is a text there, and JSON has any content. A
// feature names them in `columns`, a part of the schema of the contract such as `Lead.pick({ status: true })`, and
// `columns.parse(row)` returns them with the types of the contract, without a cast.

/** A JSON object as the database client accepts it. */
export interface JsonObject {
  readonly [key: string]: JsonValue | null;
}
type JsonValue = string | number | boolean | JsonObject | readonly (JsonValue | null)[];

/**
 * Free-form content read from a JSON column. Checks only that it is an object: its limits were checked when it was
 * written, and the response checks them again.
 */
export const storedObject = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'Must be a JSON object',
);

/** Free-form content for a JSON column. Its members have the type `unknown`, but they were parsed from JSON. */
export function toJsonColumn(content: Record<string, unknown>): JsonObject {
  return content as JsonObject;
}
