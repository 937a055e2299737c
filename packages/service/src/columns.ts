import { z } from 'zod';

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

/** Free-form content for a JSON column. It came from JSON, which the type `unknown` of its members does not tell. */
export function toJsonColumn(content: Record<string, unknown>): JsonObject {
  return content as JsonObject;
}
