import type { Readable } from 'node:stream';
import { z } from 'zod';

/** Bytes that an operation answers with instead of JSON. */
export interface Served {
  /** A text, bytes, or a stream that is read as fast as the caller takes it. */
  body: string | Uint8Array | Readable;
  /** The media type: one that the row names, or of any kind where the row names none in particular. */
  type: string;
  /** In bytes, when it is known and the body is a stream. */
  length?: number;
  /** Whether a browser shows it or saves it, and under which name. */
  disposition?: { kind: 'inline' | 'attachment'; filename?: string };
  /** 302 to another address instead of a body. */
  location?: string;
  /** What a browser may do with a page; without it, nothing. */
  contentPolicy?: string;
}

const mediaTypes = z.registry<{ types: readonly string[] }>();

/** The reply of an operation that answers with a page, a table or a file: its media types. */
export function media(...types: [string, ...string[]]) {
  const schema = z.custom<Served>((value) => typeof value === 'object' && value !== null && 'body' in value);
  mediaTypes.add(schema, { types });
  return schema;
}

/** The media types of a reply that is not JSON; undefined for any other. */
export function mediaOf(schema: z.core.$ZodType): readonly string[] | undefined {
  return mediaTypes.get(schema as never)?.types;
}

const redirects = new WeakSet<z.core.$ZodType>();

/** The reply of an operation that answers 302 with the address to go on to; the handler sets `location`. */
export function redirect() {
  const schema = z.custom<Served & { location: string }>(
    (value) => typeof value === 'object' && value !== null && 'location' in value,
  );
  mediaTypes.add(schema, { types: [] });
  redirects.add(schema);
  return schema;
}

/** Whether a reply schema was made by redirect(). */
export function isRedirect(schema: z.core.$ZodType): boolean {
  return redirects.has(schema);
}
