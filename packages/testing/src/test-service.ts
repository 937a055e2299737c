import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type Caller, callerHeader, createCallerSigner } from '@tandem/caller';
import { type Envelope, fillPath, type Operation, type Operations } from '@tandem/contract';
import { connectBroker, type DeadLetter, type EventMessage, listDeadLetters } from '@tandem/events';
import { createLog } from '@tandem/process';
import { createService, type RunningService, type ServiceDefinition, type ServiceSettings } from '@tandem/service';
import { cloneDatabase } from '@tandem/tooling';
import { until } from '@tandem/until';
import pg from 'pg';
import supertest from 'supertest';
import { removeQueues } from './remove-queues.ts';

/** Parts of a request; ids are decimal strings, as between gateway and service. */
export interface TestRequest {
  params?: Record<string, unknown>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  /** Sends HEAD instead of GET. */
  isHead?: boolean;
  /**
   * Leaves the response unparsed, for a test that measures the service, which shares its event loop with the client.
   */
  unparsed?: boolean;
  /** A form with its file instead of a body. */
  form?: { fields?: Record<string, string>; file?: TestFile };
  /** The bytes of a body, for an operation with `rawBody`. */
  raw?: { content: Buffer | string; type: string };
}

interface TestFile {
  content: Buffer | string;
  filename?: string;
  contentType?: string;
}

export interface TestReply {
  status: number;
  body: Envelope;
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its assertions what it expects.
  data: any;
  headers: Record<string, string>;
  /** The raw body when it is not JSON. */
  text: string;
}

/** Every operation as a function that sends it. */
export type TestApi<Ops extends Operations> = { [K in keyof Ops]: (request?: TestRequest) => Promise<TestReply> };

export interface TestService<Ops extends Operations> {
  /** The service as seen by one caller; every call of `as` uses a new tenant unless it names one. */
  as(caller?: Partial<Caller> & { can?: readonly string[] }): TestApi<Ops> & { caller: Caller };
  /** Sends a request without a signature or with a custom caller. */
  send(row: Operation, request: TestRequest, caller: Caller | undefined): Promise<TestReply>;
  /** Every event that reached RabbitMQ, in order of arrival. */
  events: EventMessage[];
  /** Publishes a message as another service's relay would. */
  publish(name: string, message: unknown, messageId: string): Promise<void>;
  /** The Express app, for requests that are not rows of the contract. */
  app: RunningService['app'];
  /** The text of a page for operators. */
  opsPage(path: '/metrics' | '/topology'): Promise<string>;
  /** Deletes expired rows. */
  housekeep(): Promise<string[]>;
  /** Re-encrypts stored values that are not under the current encryption key. */
  reencrypt(): Promise<void>;
  /** The text of /metrics. */
  metrics(): Promise<string>;
  /** The dead letters of a consumer of this service. */
  deadLetters(consumer: string): Promise<DeadLetter[]>;
  /** SQL as the owner of the database, outside of any tenant's scope unless it sets one. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** SQL as the service itself, within a tenant. */
  sqlWithin(caller: Caller, text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  operations: Ops;
  /** Whether live and sandbox are separate data sets in this service. */
  separatesEnvironments: boolean;
  close(): Promise<void>;
}

/** The settings of a service under test, with the stores that `npm test` started. */
export async function testSettings(
  service: string,
): Promise<ServiceSettings & { drop(): Promise<void>; ownerUrl: string }> {
  const database = await cloneDatabase(service);
  const env = process.env as Record<string, string>;
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  return {
    HOST: '127.0.0.1',
    PORT: 0,
    SHUTDOWN_DELAY_MS: 0,
    NAMESPACE: namespace,
    DATABASE_URL: database.appUrl,
    DATABASE_NAMED_STATEMENTS: true,
    DATABASE_POOL_MAX: 10,
    DATABASE_BACKGROUND_MAX: 3,
    RELAY_DATABASE_POOL_MAX: 3,
    RELAY_DATABASE_URL: database.relayUrl,
    REDIS_URL: env.TEST_REDIS_URL as string,
    REDIS_JOBS_URL: env.TEST_REDIS_URL as string,
    AMQP_URL: env.TEST_AMQP_URL as string,
    INTERNAL_SECRETS: env.INTERNAL_SECRETS as string,
    ENCRYPTION_KEY: env.ENCRYPTION_KEY as string,
    ownerUrl: database.ownerUrl,
    async drop() {
      await database.drop();
      await removeQueues(namespace);
    },
  };
}

const setupTimeoutMs = 60_000;

let tenants = 0;

/**
 * Starts a service for one test file. `close` stops it and drops its database.
 * @param shared settings of a running instance, to start a second one on the same database; the first one drops it
 */
export async function testService<Ops extends Operations, Client, Settings extends ServiceSettings>(
  service: string,
  define: (
    settings: Awaited<ReturnType<typeof testSettings>>,
  ) => ServiceDefinition<Ops, Client, Settings> | Promise<ServiceDefinition<Ops, Client, Settings>>,
  shared?: Awaited<ReturnType<typeof testSettings>>,
): Promise<TestService<Ops>> {
  const settings = shared ?? (await testSettings(service));
  const definition = await define(settings);
  const { operations } = definition;
  const signer = createCallerSigner(settings.INTERNAL_SECRETS);
  const tap = await tapEvents(settings);
  const running = createService(definition);
  await until('the consumers have their queues', running.consuming);
  const owner = new pg.Pool({ connectionString: settings.ownerUrl, max: 2 });
  // Dropping the database ends connections that are still closing; their error would fail a test of another file.
  owner.on('error', () => {});

  const send: TestService<Ops>['send'] = async (row, request, caller) => {
    const { params, query, body, form, raw, headers = {}, unparsed, isHead } = request;
    const path = fillPath(row.path, (field) => params?.[field]);
    const call = supertest(running.app)
      [isHead ? 'head' : (row.method.toLowerCase() as 'get')](path)
      .query(query ?? {});
    if (unparsed) call.buffer(true).parse(discard);
    if (caller) call.set(callerHeader, signer.sign(caller, row.method, path)).set('x-request-id', caller.requestId);
    call.set(headers);
    if (raw) call.type(raw.type).send(raw.content);
    const response = await (form ? withForm(call, form) : raw ? call : call.send(body as object));
    const { status, text, body: parsed } = response;
    return { status, body: parsed, data: parsed?.data, headers: response.headers, text: text ?? parsed.toString() };
  };

  return {
    operations,
    separatesEnvironments: running.db.separatesEnvironments,
    events: tap.events,
    publish: tap.publish,
    app: running.app,
    opsPage: async (path) => (await supertest(running.app).get(path)).text,
    housekeep: running.housekeep,
    reencrypt: running.reencrypt,
    metrics: async () => (await supertest(running.app).get('/metrics')).text,
    send,
    as({ can = ['*'], ...overrides } = {}) {
      const caller: Caller = {
        type: 'key',
        tenantId: ++tenants,
        environment: 'live',
        userId: 1,
        keyId: 1,
        permissions: can,
        requestId: `test_${tenants}`,
        ...overrides,
      };
      const calls = Object.values(operations).map((row) => [
        row.id,
        (request: TestRequest = {}) => send(row, request, caller),
      ]);
      return Object.assign(Object.fromEntries(calls) as TestApi<Ops>, { caller });
    },
    deadLetters: (consumer) =>
      listDeadLetters({ url: settings.AMQP_URL, namespace: settings.NAMESPACE, consumer: `${service}.${consumer}` }),
    sql: async (text, values) => (await owner.query(text, values)).rows,
    async sqlWithin({ tenantId, environment }, text, values) {
      // Preparing thousands of rows may take longer than a request is allowed to.
      const client = new pg.Client({ connectionString: settings.DATABASE_URL, statement_timeout: setupTimeoutMs });
      await client.connect();
      try {
        await client.query(`SELECT set_config('app.tenant_id', $1, false), set_config('app.environment', $2, false)`, [
          String(tenantId),
          environment,
        ]);
        return (await client.query(text, values)).rows;
      } finally {
        await client.end();
      }
    },
    async close() {
      await running.close();
      await tap.close();
      await owner.end();
      if (!shared) await settings.drop();
    },
  };
}

/** Reads a response to its end and discards it. */
function discard(response: supertest.Response, done: (error: Error | null, body: unknown) => void): void {
  const stream = response as unknown as Readable;
  stream.on('data', () => {});
  stream.on('end', () => done(null, {}));
}

function withForm(request: supertest.Test, { fields = {}, file }: NonNullable<TestRequest['form']>): supertest.Test {
  if (file) {
    const { content, filename = 'a.txt', contentType = 'text/plain' } = file;
    request.attach('file', Buffer.from(content), { filename, contentType });
  }
  // The fields go after the file, because a service must accept any order.
  for (const [name, value] of Object.entries(fields)) request.field(name, value);
  return request;
}

/** Declares a queue for the test that receives every event. */
async function tapEvents(settings: ServiceSettings) {
  const broker = connectBroker({
    url: settings.AMQP_URL,
    namespace: settings.NAMESPACE,
    log: createLog('test', 'error'),
  });
  const events: EventMessage[] = [];
  let publish: ((name: string, content: Buffer, messageId: string) => Promise<void>) | undefined;
  await new Promise<void>((resolve) => {
    void broker.onConnection(async (channel) => {
      await channel.assertExchange(broker.names.events, 'topic', { durable: true });
      const { queue } = await channel.assertQueue('', { exclusive: true });
      await channel.bindQueue(queue, broker.names.events, '#');
      await channel.consume(queue, (message) => message && events.push(readEvent(message.content)), { noAck: true });
      publish = (name, content, messageId) =>
        new Promise((done, reject) =>
          channel.publish(broker.names.events, name, content, { messageId, persistent: true }, (error) =>
            error ? reject(error) : done(),
          ),
        );
      resolve();
    });
  });
  return {
    events,
    publish: async (name: string, message: unknown, messageId: string) => {
      const content = Buffer.isBuffer(message) ? message : Buffer.from(JSON.stringify(message));
      await publish?.(name, content, messageId);
    },
    close: () => broker.close(),
  };
}

function readEvent(content: Buffer): EventMessage {
  try {
    return JSON.parse(content.toString());
  } catch {
    // A test may publish an invalid event; it is listed as `unreadable`.
    return { name: 'unreadable' } as EventMessage;
  }
}
