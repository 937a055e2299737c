// Test helpers: starts the service with its stores, and receivers of webhooks.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventDef } from '@tandem/contract';
import type { Resolve } from '@tandem/outgoing';
import { testService, type testSettings, until } from '@tandem/testing';
import { integrationsService } from './service.ts';
import type { IntegrationsSettings } from './settings.ts';

/**
 * Starts the service with short retry delays.
 * @param shared settings of a running instance, to start a second one on the same database
 */
export async function startIntegrations(
  own: Partial<IntegrationsSettings> = {},
  resolve?: Resolve,
  shared?: Awaited<ReturnType<typeof testSettings>>,
) {
  const identity = await identityPeer();
  const service = await testService(
    'integrations',
    (settings) =>
      integrationsService(
        {
          ...settings,
          IDENTITY_URL: identity.url,
          // Replaced by tests that need these services.
          CRM_URL: 'http://127.0.0.1:9',
          CAMPAIGN_URL: 'http://127.0.0.1:9',
          IDS_ALPHABET: process.env['IDS_ALPHABET'] as string,
          WEBHOOK_ALLOW_PRIVATE_TARGETS: true,
          // As in production, so that an immediate response does not time out on a busy machine.
          WEBHOOK_TIMEOUT_SECONDS: 15,
          WEBHOOK_RETRY_SCHEDULE_SECONDS: [0, 0.05, 0.05],
          PUBLIC_URL: 'https://api.tandem.example',
          OAUTH_REDIRECT_ORIGINS: ['https://console.tandem.example'],
          OAUTH_RETRY_SECONDS: 0.2,
          ...own,
        },
        resolve,
      ),
    shared,
  );
  const close = async () => {
    await service.close();
    await identity.close();
  };
  return { ...service, close, permissions: identity.permissions, holdPermissions: identity.hold };
}

/** Stub of identity: returns users, and their permissions, which are `*` unless the test sets others. */
async function identityPeer() {
  const permissions = new Map<number, string[]>();
  const holds = new Map<number, { asked(): void; released: Promise<void> }>();
  const server = http.createServer(async (request, response) => {
    const userId = Number((request.url as string).split('/')[3]);
    const hold = holds.get(userId);
    hold?.asked();
    await hold?.released;
    const isUser = !request.url?.endsWith('/permissions');
    const data = isUser
      ? { id: String(userId), status: 'active', name: 'Ada Lovelace', teamIds: [] }
      : { permissions: permissions.get(userId) ?? ['*'] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    permissions,
    /** Delays responses about a user until `release` is called; `asked` resolves with the first request. */
    hold(userId: number) {
      const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      holds.set(userId, { asked: asked.resolve, released: released.promise });
      return { asked: asked.promise, release: released.resolve };
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Integrations = Awaited<ReturnType<typeof startIntegrations>>;
export type Api = ReturnType<Integrations['as']>;

/** A received request. */
export interface Received {
  at: number;
  /** Header names in their original letter case. */
  rawHeaders: [string, string][];
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

export interface Receiver {
  url: string;
  requests: Received[];
  close(): Promise<void>;
}

/** A status code, or a request handler. */
export type Answer = number | ((request: http.IncomingMessage, response: http.ServerResponse) => void);

/** Creates receivers for one test file and closes them when it ends. */
export function closingReceivers(): typeof receiver {
  const made: Receiver[] = [];
  afterAll(() => Promise.all(made.map((one) => one.close())));
  return async (...answers) => {
    const one = await receiver(...answers);
    made.push(one);
    return one;
  };
}

/** A customer's endpoint on loopback. Uses the answers in order and repeats the last one. */
export async function receiver(...answers: Answer[]): Promise<Receiver> {
  const requests: Received[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = request.rawHeaders;
    requests.push({
      at: Date.now(),
      rawHeaders: raw.flatMap((name, index) =>
        index % 2 ? [] : [[name, raw[index + 1] as string] as [string, string]],
      ),
      headers: request.headers,
      body: Buffer.concat(chunks),
    });
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? 200;
    if (typeof answer === 'number') response.writeHead(answer).end('thanks');
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Never responds. */
export const hang: Answer = () => {};

/** Responds when the test calls `release`. */
export function held(): { answer: Answer; release(): void } {
  const waiting: http.ServerResponse[] = [];
  return {
    answer: (_, response) => void waiting.push(response),
    release: () => {
      for (const response of waiting.splice(0)) response.end();
    },
  };
}

type Scope = { tenantId?: number; environment: 'live' | 'sandbox' };

/** Publishes an event like the relay of its service. `data` is in the internal wire format. */
export async function publish(
  service: Integrations,
  event: EventDef,
  scope: Scope,
  data: object,
  id: string = randomUUID(),
): Promise<string> {
  const message = {
    id,
    name: event.name,
    tenantId: scope.tenantId,
    environment: scope.environment,
    occurredAt: new Date().toISOString(),
    action: event.action,
    target: { type: event.target, id: 1 },
    caller: { type: 'key', userId: 1, keyId: 1, requestId: `test_${id}` },
    data,
    record: lead(scope),
  };
  await service.publish(event.name, message, id);
  return id;
}

/** A lead in the internal wire format. */
export function lead({ tenantId }: Scope, id = 7) {
  const now = new Date().toISOString();
  return {
    id: String(id),
    tenantId: String(tenantId),
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    phone: null,
    source: 'web',
    status: 'new',
    allowedTransitions: [],
    score: 0,
    assignedTo: null,
    customFields: {},
    tags: [],
    externalId: null,
    referralCode: null,
    convertedAt: null,
    convertedOpportunityId: null,
    createdBy: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** Data of lead.created in the internal wire format. */
export const leadData = (id = 7) => ({ leadId: String(id), email: 'ada@example.com', source: 'web' });

/** Runs SQL on all tenants as the database owner, without row-level security on `webhook`. */
export async function queryAsOwner(service: Integrations, text: string, values?: unknown[]) {
  await service.sql('ALTER TABLE webhook NO FORCE ROW LEVEL SECURITY');
  return service.sql(text, values);
}

/** Registers a webhook for all events and returns its id. */
export async function aWebhook(api: Api, url: string, body: object = {}): Promise<string> {
  return (await api.createWebhook({ body: { url, events: ['*'], ...body } })).data.id;
}

/** The delivery of a webhook at this index, oldest first. */
export async function deliveryAt(api: Api, id: string, index = 0) {
  const page = await api.listDeliveries({ params: { id }, query: { sort: 'createdAt' } });
  const found = page.data[index];
  return found && (await api.getDelivery({ params: { id, deliveryId: found.id } })).data;
}

/** Waits until that delivery has a status. */
export function inStatus(api: Api, id: string, status: string, index = 0) {
  return until(`the delivery is ${status}`, async () => {
    const found = await deliveryAt(api, id, index);
    return found?.status === status && found;
  });
}

/** Waits for an internal event about a webhook. */
export function emitted(service: Integrations, name: string, webhookId: string) {
  const isMatch = (event: { name: string; data: unknown }) =>
    event.name === name && (event.data as { webhookId: string }).webhookId === webhookId;
  return until(`${name} is emitted`, () => service.events.find(isMatch));
}
