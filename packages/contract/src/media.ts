import type { Readable } from 'node:stream';
import { z } from 'zod';

/** The first and the last byte of a part of a content. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A content of which clients may request a part. */
export interface RangedContent {
  /** Identifies the content: an ETag without quotes. */
  tag: string;
  /** Opens the content, or a part of it. */
  open(range?: ByteRange): Promise<Readable>;
}

/** A response body that is not JSON. */
export interface Served {
  /**
   * A text, bytes, or a stream that is read at the speed of the client. `ranged` takes its place for a content of a known
   * `length`, of which a client can request a part, or only a newer one.
   */
  body: string | Uint8Array | Readable;
  ranged?: RangedContent;
  /** The media type: one that the row lists, or any if the row lists none in particular. */
  type: string;
  /** Length in bytes, if it is known and the body is a stream. */
  length?: number;
  /** Whether a browser displays or downloads it, and the file name. */
  disposition?: { kind: 'inline' | 'attachment'; filename?: string };
  /** Redirects (302) to this address instead of sending a body. */
  location?: string;
  /** The Content-Security-Policy of a page; by default it allows nothing. */
  contentPolicy?: string;
}

const mediaTypes = z.registry<{ types: readonly string[] }>();

/** The reply of an operation that serves a page, a table or a file: its media types. */
export function media(...types: [string, ...string[]]) {
  const schema = z.custom<Served>((value) => typeof value === 'object' && value !== null && 'body' in value);
  mediaTypes.add(schema, { types });
  return schema;
}

/** The media types of a reply that is not JSON; undefined for any other. */
export function mediaOf(schema: z.core.$ZodType): readonly string[] | undefined {
  return mediaTypes.get(schema)?.types;
}

/** Whether a reply is a stream of server-sent events, which lasts until either side ends it. */
export function isEventStream(schema: z.core.$ZodType): boolean {
  return mediaOf(schema)?.includes('text/event-stream') ?? false;
}

const redirects = new WeakSet<z.core.$ZodType>();

/** The reply of an operation that returns 302; the handler sets `location`. */
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
