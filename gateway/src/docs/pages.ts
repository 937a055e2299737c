import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { failure, knownErrors, type Operation } from '@tandem/contract';
import { openApiDocument } from './openapi.ts';
import { contentSecurityPolicy, page, scalarBundle, scalarVersion } from './scalar.ts';

/** The pages about the API that the gateway serves itself. */
export interface Pages {
  /** Answers a request for one of the pages; false for every other path. */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
}

interface Content {
  plain: Buffer;
  gzip: Buffer;
  etag: string;
}

interface Asset {
  read(): Promise<Content>;
  headers: Record<string, string>;
}

const compress = promisify(gzip);

/**
 * The description of the given operations as an OpenAPI document and as a page for people.
 * Each file is made when it is first asked for, and kept.
 */
export function createPages(operations: { row: Operation; service: string }[]): Pages {
  const document = async () => Buffer.from(JSON.stringify(openApiDocument(operations)));
  const assets: Record<string, Asset> = {
    '/v1/openapi.json': asset(document, {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'ETag',
    }),
    '/docs': asset(async () => Buffer.from(page), {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': contentSecurityPolicy,
      'Referrer-Policy': 'no-referrer',
    }),
    '/docs/scalar.js': asset(scalarBundle, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-cache',
    }),
  };
  const bundle = `/docs/scalar.js?v=${scalarVersion}`;

  return {
    serve(request, response) {
      const url = request.url as string;
      if (url.startsWith('/v1/') && !url.startsWith('/v1/openapi.json')) return false;
      const path = url.split('?', 1)[0] as string;
      const found = path === '/' ? 'home' : Object.hasOwn(assets, path) ? assets[path] : undefined;
      if (!found) return false;
      if (request.method !== 'GET' && request.method !== 'HEAD') refuseMethod(response);
      else if (found === 'home') response.writeHead(302, { Location: '/docs', 'Cache-Control': 'no-cache' }).end();
      else void answer(request, response, found, url === bundle ? forGood : {});
      return true;
    },
  };
}

// Another version has another address.
const forGood = { 'Cache-Control': 'public, max-age=31536000, immutable' };

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { read, headers }: Asset,
  more: Record<string, string>,
): Promise<void> {
  try {
    const { plain, gzip: small, etag } = await read();
    const all = { ...headers, ...more, ETag: etag, Vary: 'Accept-Encoding', 'X-Content-Type-Options': 'nosniff' };
    if (isKnown(request, etag)) return void response.writeHead(304, all).end();
    const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(
      String(request.headers['accept-encoding'] ?? ''),
    );
    const body = takesGzip ? small : plain;
    response.writeHead(200, {
      ...all,
      'Content-Length': body.length,
      ...(takesGzip && { 'Content-Encoding': 'gzip' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  } catch (error) {
    refuse(response, 'internal_error');
    process.emitWarning(error as Error);
  }
}

function isKnown(request: IncomingMessage, etag: string): boolean {
  return (request.headers['if-none-match'] ?? '')
    .split(',')
    .some((known) => known.trim() === etag || known.trim() === '*');
}

/** Made once, by whoever asks first; a failure is not kept. */
function asset(load: () => Promise<Buffer>, headers: Record<string, string>): Asset {
  let made: Promise<Content> | undefined;
  const make = async (): Promise<Content> => {
    const plain = await load();
    // The same tag for both forms, so it is a weak one.
    return {
      plain,
      gzip: await compress(plain),
      etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    };
  };
  return {
    headers,
    read() {
      made ??= make().catch((error) => {
        made = undefined;
        throw error;
      });
      return made;
    },
  };
}

function refuseMethod(response: ServerResponse): void {
  refuse(response, 'method_not_allowed', { Allow: 'GET, HEAD' });
}

function refuse(response: ServerResponse, code: keyof typeof knownErrors, headers: Record<string, string> = {}): void {
  const [status, message] = knownErrors[code];
  const body = JSON.stringify(failure({ status, message, code, requestId: 'page' }));
  response.writeHead(status, { ...headers, 'Content-Type': 'application/json; charset=utf-8' }).end(body);
}
