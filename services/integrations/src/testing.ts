// For the tests of this service: the service on its stores, and receivers as customers run them.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventDef } from '@tandem/contract';
import { testService, type testSettings, until } from '@tandem/testing';
import type { Resolve } from './outgoing/resolve.ts';
import { type IntegrationsSettings, integrationsService } from './service.ts';

/**
 * The service with settings that make its time pass quickly.
 * @param place settings of an instance that already runs, for a second one on the same database
 */
export async function startIntegrations(
  own: Partial<IntegrationsSettings> = {},
  resolve?: Resolve,
  place?: Awaited<ReturnType<typeof testSettings>>,
) {
  const identity = await identityPeer();
  const service = await testService(
    'integrations',
    (settings) =>
      integrationsService(
        {
          ...settings,
          IDENTITY_URL: identity.url,
          IDS_ALPHABET: process.env['IDS_ALPHABET'] as string,
          WEBHOOK_ALLOW_PRIVATE_TARGETS: true,
          // As in production: an immediate answer must not count as late on a busy machine.
          WEBHOOK_TIMEOUT_SECONDS: 15,
          WEBHOOK_RETRY_SCHEDULE_SECONDS: [0, 0.05, 0.05],
          ...own,
        },
        resolve,
      ),
    place,
  );
  const close = async () => {
    await service.close();
    await identity.close();
  };
  return { ...service, close, permissions: identity.permissions, holdPermissions: identity.hold };
}

/** Answers what the service asks identity: the permissions of a user, which are all unless the test sets others. */
async function identityPeer() {
  const permissions = new Map<number, string[]>();
  const holds = new Map<number, { asked(): void; released: Promise<void> }>();
  const server = http.createServer(async (request, response) => {
    const userId = Number((request.url as string).split('/')[3]);
    const hold = holds.get(userId);
    hold?.asked();
    await hold?.released;
    const data = { permissions: permissions.get(userId) ?? ['*'] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    permissions,
    /** Holds the answers about a user back until released; `asked` resolves with the first question. */
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

/** A request as it came over the wire. */
export interface Received {
  at: number;
  /** Names in the case they were sent in. */
  rawHeaders: [string, string][];
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

export interface Receiver {
  url: string;
  requests: Received[];
  close(): Promise<void>;
}

/** A status, or what a receiver does with a request. */
export type Answer = number | ((request: http.IncomingMessage, response: http.ServerResponse) => void);

/** Makes receivers for one test file, and closes them all when it ends. */
export function closingReceivers(): typeof receiver {
  const made: Receiver[] = [];
  afterAll(() => Promise.all(made.map((one) => one.close())));
  return async (...answers) => {
    const one = await receiver(...answers);
    made.push(one);
    return one;
  };
}

/** A customer's endpoint on loopback. It gives its answers in turn, the last one for ever. */
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

/** Never answers. */
export const hang: Answer = () => {};

/** Answers when the test says so. */
export function held(): { answer: Answer; release(): void } {
  const waiting: http.ServerResponse[] = [];
  return {
    answer: (_, response) => void waiting.push(response),
    release: () => {
      for (const response of waiting.splice(0)) response.end();
    },
  };
}

type Who = { tenantId?: number; environment: 'live' | 'sandbox' };

/** Publishes an event as the relay of the service that owns it would. `data` is in the form between services. */
export async function publish(
  service: Integrations,
  event: EventDef,
  who: Who,
  data: object,
  id: string = randomUUID(),
): Promise<string> {
  const message = {
    ...{
      id,
      name: event.name,
      tenantId: who.tenantId,
      environment: who.environment,
      occurredAt: new Date().toISOString(),
    },
    ...{
      action: event.action,
      target: { type: event.target, id: 1 },
      caller: { type: 'key', userId: 1, keyId: 1, requestId: `test_${id}` },
    },
    ...{ data, record: lead(who) },
  };
  await service.publish(event.name, message, id);
  return id;
}

/** A lead in the form between services. */
export function lead({ tenantId }: Who, id = 7) {
  const now = new Date().toISOString();
  return {
    ...{
      id: String(id),
      tenantId: String(tenantId),
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      phone: null,
      source: 'web',
    },
    ...{
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
    },
    ...{ version: 1, createdAt: now, updatedAt: now },
  };
}

/** The data of lead.created in the form between services. */
export const leadData = (id = 7) => ({ leadId: String(id), email: 'ada@example.com', source: 'web' });

/** SQL over all tenants, as the owner of the database who lifts the policy from itself; the service stays under it. */
export async function ownersView(service: Integrations, text: string, values?: unknown[]) {
  await service.sql('ALTER TABLE webhook NO FORCE ROW LEVEL SECURITY');
  return service.sql(text, values);
}

/** Registers a webhook for all events; its id. */
export async function aWebhook(api: Api, url: string, body: object = {}): Promise<string> {
  return (await api.createWebhook({ body: { url, events: ['*'], ...body } })).data.id;
}

/** A delivery of a webhook in full, by its place in time. */
export async function deliveryAt(api: Api, id: string, index = 0) {
  const page = await api.listDeliveries({ params: { id }, query: { sort: 'createdAt' } });
  const found = page.data[index];
  return found && (await api.getDelivery({ params: { id, deliveryId: found.id } })).data;
}

/** The same once it has come into a status. */
export function inStatus(api: Api, id: string, status: string, index = 0) {
  return until(`the delivery is ${status}`, async () => {
    const found = await deliveryAt(api, id, index);
    return found?.status === status && found;
  });
}

/** An internal event about a webhook, once it was emitted. */
export function emitted(service: Integrations, name: string, webhookId: string) {
  const isIt = (event: { name: string; data: unknown }) =>
    event.name === name && (event.data as { webhookId: string }).webhookId === webhookId;
  return until(`${name} is emitted`, () => service.events.find(isIt));
}
