import { pipeline, Readable } from 'node:stream';
import type { ByteRange, Served } from '@tandem/contract';
import type { Request, Response } from 'express';
import type { ServiceResponse } from './response.ts';

/** Serves a page or file. Its policy allows browsers nothing, unless the operation allows more. */
export async function serveMedia(
  response: Response,
  { status, headers }: ServiceResponse,
  served: Served,
  request: Request | undefined,
): Promise<void> {
  const { type, length, disposition, location, contentPolicy } = served;
  const isHead = request?.method === 'HEAD';
  const part = served.ranged && partOf(served.ranged.tag, length as number, request);
  const body = part ? await bodyOf(served, part, isHead) : served.body;
  const size = part
    ? part.length
    : (length ?? (typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : undefined));
  // setHeader, because writeHead does not store the header, by which the server finds event streams at shutdown.
  response.setHeader('Content-Type', type);
  response.writeHead(part?.status ?? status, {
    'Content-Security-Policy': contentPolicy ?? "default-src 'none'; sandbox",
    'Cache-Control': 'private, no-store',
    ...(size !== undefined && { 'Content-Length': size }),
    ...(disposition && { 'Content-Disposition': contentDisposition(disposition) }),
    ...(location !== undefined && { Location: location }),
    ...part?.headers,
    ...headers,
  });
  if (isHead || !(body instanceof Readable)) {
    if (body instanceof Readable) body.destroy();
    response.end(isHead ? undefined : body);
    return;
  }
  // Destroys the source when the client disconnects, and the response when the source fails: a truncated file must not
  // look complete.
  pipeline(body, response, () => {});
}

/** The part of a content that a request gets. */
interface Part {
  status: 200 | 206 | 304 | 416;
  length?: number;
  range?: ByteRange;
  headers: Record<string, string>;
}

/** Selects the part of a content by the conditions and the range of a request (RFC 9110). */
function partOf(tag: string, length: number, request: Request | undefined): Part {
  const etag = `"${tag}"`;
  const headers = { ETag: etag, 'Accept-Ranges': 'bytes' };
  const known = request?.get('if-none-match');
  if (known?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)) return { status: 304, headers };
  const expected = request?.get('if-range');
  // A range of an earlier content would not fit the rest that the client has.
  const wanted = expected === undefined || expected === etag ? rangeOf(request?.get('range'), length) : undefined;
  if (wanted === 'unsatisfiable')
    return { status: 416, length: 0, headers: { ...headers, 'Content-Range': `bytes */${length}` } };
  if (!wanted) return { status: 200, length, headers };
  const { start, end } = wanted;
  return {
    status: 206,
    length: end - start + 1,
    range: wanted,
    headers: { ...headers, 'Content-Range': `bytes ${start}-${end}/${length}` },
  };
}

/** The range of a Range header; undefined for none, several or another unit, with which the whole content is served. */
function rangeOf(header: string | undefined, length: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (!first && !last) return undefined;
  const start = first ? Number(first) : Math.max(0, length - Number(last));
  const end = first && last ? Math.min(Number(last), length - 1) : length - 1;
  if (first && last && Number(last) < start) return undefined;
  return start > end ? 'unsatisfiable' : { start, end };
}

async function bodyOf({ ranged, body }: Served, { status, range }: Part, isHead: boolean): Promise<Served['body']> {
  if (isHead || status === 304 || status === 416) return '';
  return ranged ? ranged.open(range) : body;
}

/** Content-Disposition (RFC 6266): an ASCII fallback for old clients, and the full name. */
export function contentDisposition({ kind, filename }: NonNullable<Served['disposition']>): string {
  if (filename === undefined) return kind;
  const plain = filename.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const exact = encodeURIComponent(filename).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
