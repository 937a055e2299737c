import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createCallerSigner } from '@tandem/caller';
import { id, media, operations, signedIn } from '@tandem/contract';
import { createIdCodec } from '@tandem/ids';
import { z } from 'zod';
import { settingsSchema } from './config.ts';
import { createGateway, type RunningGateway } from './create-gateway.ts';
import { testPrincipal } from './testing.ts';

// A fleet of one service whose rows use rare features: streams, the portal audience, deprecation.
const rows = operations({
  upload: {
    method: 'POST',
    path: '/v1/things/:id/upload',
    audience: 'public',
    summary: 'Upload',
    params: z.object({ id: id('tenant') }),
    form: z.object({}),
    reply: z.object({ tenant: id('tenant').optional() }),
    message: '',
    emits: [],
  },
  download: {
    method: 'GET',
    path: '/v1/things/download',
    audience: 'public',
    summary: 'Download',
    reply: media('text/csv'),
    message: '',
  },
  generate: {
    method: 'POST',
    path: '/v1/things/generate',
    permission: 'ai:write',
    peopleOnly: true,
    summary: 'Generate',
    reply: z.object({}),
    envelope: 'short',
    headers: { 'X-AI-Source': 'Where it came from' },
    deprecated: { since: '2026-01-01', sunset: '2027-01-01', successor: '/v1/other' },
    message: '',
    emits: [],
  },
  library: {
    method: 'GET',
    path: '/v1/partners/portal/library',
    audience: 'portal',
    permission: 'co_marketing:read',
    summary: 'Library',
    reply: z.object({ partner: id('partner') }),
    message: '',
  },
  events: {
    method: 'GET',
    path: '/v1/things/events',
    permission: signedIn,
    summary: 'Events',
    reply: media('text/event-stream'),
    message: '',
  },
  own: {
    method: 'GET',
    path: '/v1/things/own',
    permission: signedIn,
    summary: 'Own',
    reply: z.object({}),
    message: '',
  },
  slow: {
    method: 'GET',
    path: '/v1/things/slow',
    audience: 'public',
    summary: 'Slow',
    reply: z.object({}),
    message: '',
    timeoutMs: 300,
  },
  broken: {
    method: 'GET',
    path: '/v1/things/broken',
    audience: 'public',
    summary: 'Broken',
    reply: z.object({ lead: id('lead') }),
    message: '',
  },
  note: {
    method: 'POST',
    path: '/v1/things/notes',
    audience: 'public',
    summary: 'Note',
    body: z.object({}),
    reply: z.object({}),
    message: '',
    emits: [],
  },
  oneClick: {
    method: 'POST',
    path: '/v1/things/one-click',
    audience: 'public',
    summary: 'One click',
    body: z.object({ all: z.boolean().optional() }),
    ignoresOtherMedia: true,
    reply: z.object({}),
    message: '',
    emits: [],
  },
  report: {
    method: 'POST',
    path: '/v1/things/reports',
    audience: 'public',
    summary: 'Report',
    rawBody: { headers: { 'X-Signature': 'The signature of the bytes' } },
    bodyMax: 1_000,
    reply: z.object({}),
    message: '',
    emits: [],
  },
  receiveMail: {
    method: 'POST',
    path: '/v1/things/mails',
    audience: 'public',
    summary: 'Receive a mail',
    rawBody: { headers: { 'X-Signature': 'The signature of the bytes' }, streamed: true },
    bodyMax: 1_000_000,
    reply: z.object({}),
    message: '',
    emits: [],
  },
  search: {
    method: 'GET',
    path: '/v1/things/searched',
    audience: 'public',
    summary: 'Search',
    query: z.object({ status: z.string().optional() }),
    reply: z.object({}),
    message: '',
  },
  exportThings: {
    method: 'GET',
    path: '/v1/things/export',
    audience: 'public',
    summary: 'Export',
    query: z.object({ status: z.string().optional() }),
    reply: media('text/csv'),
    message: '',
  },
  flaky: {
    method: 'GET',
    path: '/v1/things/flaky',
    audience: 'public',
    summary: 'Flaky',
    reply: z.object({}),
    message: '',
  },
});

const secrets = `k1:${randomBytes(32).toString('hex')}`;
const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
export const ids = createIdCodec(alphabet);
export const signer = createCallerSigner(secrets);
export const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A request that the service received. */
export interface Seen {
  path: string;
  headers: IncomingMessage['headers'];
  caller: ReturnType<typeof signer.verify>;
}

let service: Server;
export let gateway: RunningGateway;
export let base: string;
export const seen: Seen[] = [];
/** Request handlers of the service, by path. */
export const handlers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {};

/** Starts a gateway before the tests of a file, whose one service responds with `handlers`. */
export function useThings(): void {
  beforeAll(async () => {
    service = createServer((request, response) => {
      const path = (request.url as string).split('?')[0] as string;
      const caller = signer.verify(request.headers['x-ctx'] as string, request.method as string, path);
      // The gateway also fetches keys and reports usage, independently of requests.
      if (path.startsWith('/v1/')) seen.push({ path, headers: request.headers, caller });
      const handle = handlers[path] ?? ((_, to) => to.writeHead(404).end('{}'));
      handle(request, response);
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(service.address() as { port: number }).port}`;
    const settings = settingsSchema.parse({
      REDIS_URL: process.env.TEST_REDIS_URL,
      // Tests assert the rate limit headers; with a slow Redis on a loaded machine, the default would drop them.
      REDIS_TIMEOUT_MS: 10_000,
      NAMESPACE: `gateway-${randomBytes(4).toString('hex')}`,
      INTERNAL_SECRETS: secrets,
      KEY_PEPPER: 'p'.repeat(32),
      PUBLIC_URL: 'https://api.example.com',
      IDS_ALPHABET: alphabet,
      IDENTITY_URL: origin,
      ANONYMOUS_RATE_PER_MINUTE: 10_000,
    });
    gateway = createGateway(settings, { identity: rows }, { identity: origin });
    await new Promise<void>((resolve) => gateway.server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(gateway.server.address() as { port: number }).port}`;
  });
  afterAll(async () => {
    gateway?.server.close();
    gateway?.server.closeAllConnections();
    await gateway?.close();
    service?.closeAllConnections();
    service?.close();
  });
}

export const json = (response: ServerResponse, data: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data));

export const principal = {
  ...testPrincipal,
  environment: null,
  keyId: null,
  sessionId: '3',
  name: 'Partner',
  permissions: ['co_marketing:read'],
};
export const portalPrincipal = {
  ...principal,
  environment: 'sandbox',
  userId: null,
  partnerId: '9',
  portalUserId: '6',
};
export const limits = { plan: 'free', monthlyCalls: 1000, ratePerMinute: 60, burst: 10 };
