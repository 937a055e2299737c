import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Operation } from '@tandem/contract';
import { GatewayError } from '../http/gateway-error.ts';
import { alwaysExposed } from '../http/headers.ts';
import type { Page, PageExchange, Pages } from '../parts.ts';
import { type OpenApiDocument, openApiDocument } from './openapi.ts';
import { withCodeSamples } from './samples.ts';
import { contentSecurityPolicy, referencePage, scalarBundle, scalarVersion } from './scalar.ts';

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
const favicon = '/favicon.ico';

/**
 * Serves the OpenAPI document and the reference page of the given operations. Each file is generated on the first
 * request and cached.
 */
export function createPages(operations: { row: Operation; service: string }[]): Pages {
  let made: OpenApiDocument | undefined;
  const document = () => {
    made ??= openApiDocument(operations);
    return made;
  };
  const assets: Record<string, Asset> = {
    '/v1/openapi.json': asset(async () => Buffer.from(JSON.stringify(document())), {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': alwaysExposed.join(', '),
    }),
    '/docs/openapi.json': asset(async () => Buffer.from(JSON.stringify(withCodeSamples(document()))), {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-cache',
    }),
    '/docs': asset(async () => Buffer.from(referencePage), {
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
  const pages = new Map<string, Page>(Object.entries(assets).map(([path, one]) => [path, assetPage(path, one)]));
  pages.set(
    '/',
    page((exchange) => end(exchange, 302, { Location: '/docs', 'Cache-Control': 'no-cache' })),
  );
  // Browsers request it automatically; without a cacheable response they would request it with every page.
  pages.set(
    favicon,
    page((exchange) => end(exchange, 204, { 'Cache-Control': 'public, max-age=86400' })),
  );
  return {
    // The documentation is no part of the domain of a tenant.
    find: (path, tenantHost) => (tenantHost === undefined || path === favicon ? pages.get(path) : undefined),
  };
}

function page(serve: (exchange: PageExchange) => Promise<void> | void): Page {
  return {
    async serve(exchange) {
      const { method } = exchange.request;
      if (method !== 'GET' && method !== 'HEAD')
        throw new GatewayError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } });
      await serve(exchange);
    },
  };
}

function assetPage(path: string, one: Asset): Page {
  const bundle = path === '/docs/scalar.js' ? `?v=${scalarVersion}` : undefined;
  return page((exchange) => sendAsset(exchange, one, exchange.search === bundle ? forGood : {}));
}

function end({ response, headers }: PageExchange, status: number, own: Record<string, string>): void {
  response.writeHead(status, { ...headers, ...own }).end();
}

// The URL contains the version, so the content never changes.
const forGood = { 'Cache-Control': 'public, max-age=31536000, immutable' };

async function sendAsset(
  { request, response, headers: shared }: PageExchange,
  { read, headers }: Asset,
  more: Record<string, string>,
): Promise<void> {
  const { plain, gzip: small, etag } = await read();
  const vary = shared.Vary ? `Accept-Encoding, ${shared.Vary}` : 'Accept-Encoding';
  const all = { ...shared, ...headers, ...more, ETag: etag, Vary: vary, 'X-Content-Type-Options': 'nosniff' };
  if (isKnown(request, etag)) return void response.writeHead(304, all).end();
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(request.headers['accept-encoding'] ?? ''));
  const body = takesGzip ? small : plain;
  response.writeHead(200, { ...all, 'Content-Length': body.length, ...(takesGzip && { 'Content-Encoding': 'gzip' }) });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function isKnown(request: IncomingMessage, etag: string): boolean {
  return (request.headers['if-none-match'] ?? '')
    .split(',')
    .some((known) => known.trim() === etag || known.trim() === '*');
}

/** Generates the file once, on the first request; a failure is not cached. */
function asset(load: () => Promise<Buffer>, headers: Record<string, string>): Asset {
  let made: Promise<Content> | undefined;
  const make = async (): Promise<Content> => {
    const plain = await load();
    // Both encodings have the same tag, so it is a weak one.
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
