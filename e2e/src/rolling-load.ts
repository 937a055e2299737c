import { Agent, request as httpRequest } from 'node:http';

// The load of rolling-release.alone.test.ts: reads of every service, and writes of most, without retries.

export interface Answer {
  status: number;
  body: { data?: { id?: string } };
}

/** Sends one request. With `hold`, the body is sent only after `hold.until`; `accepted` is called on 100 Continue. */
export function send(options: {
  port: number;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: object;
  agent?: Agent;
  hold?: { accepted(): void; until: Promise<void> };
}): Promise<Answer> {
  const { port, method, path, headers, agent, hold } = options;
  const body = options.body && JSON.stringify(options.body);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent,
      headers: {
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...(hold && { expect: '100-continue' }),
      },
    });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode as number, body: text ? JSON.parse(text) : {} });
      });
    });
    if (!hold) return void outgoing.end(body);
    outgoing.once('continue', () => {
      hold.accepted();
      void hold.until.then(() => outgoing.end(body));
    });
    outgoing.flushHeaders();
  });
}

let records = 0;

/** The body of a lead that no other one resembles. */
export function aLead() {
  const number = ++records;
  return { email: `lead-${number}@example.com`, firstName: 'Lead', lastName: `Number${number}` };
}

interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
}

const get = (path: string) => (): Call => ({ method: 'GET', path });
const post = (path: string, body: (number: number) => object) => (): Call => ({
  method: 'POST',
  path,
  body: body(++records),
});

const createLead = (): Call => ({ method: 'POST', path: '/v1/leads', body: aLead() });

/** Each client sends these in turn, beginning at its own place; every service has at least one. */
const calls: readonly ((lastLead: string) => Call)[] = [
  createLead,
  (lastLead) => ({ method: 'GET', path: `/v1/leads/${lastLead}` }),
  get('/v1/leads?limit=5'),
  get('/v1/users?limit=5'),
  get('/v1/search/leads?q=lead&limit=5'),
  post('/v1/search/index', (number) => ({ type: 'partner', id: `own-${number}`, data: { name: `Own ${number}` } })),
  get('/v1/integrations/webhooks'),
  get('/v1/integrations/events?limit=5'),
  createLead,
  (lastLead) => ({ method: 'GET', path: `/v1/leads/${lastLead}` }),
  post('/v1/partners', (number) => ({
    email: `partner-${number}@example.com`,
    firstName: 'Joan',
    lastName: `Clarke${number}`,
  })),
  post('/v1/campaigns', (number) => ({ name: `Campaign ${number}` })),
  post('/v1/training/courses', (number) => ({ title: `Course ${number}` })),
  post('/v1/analytics/events', () => ({ eventType: 'email_open' })),
  get('/v1/files?limit=5'),
  get('/v1/agents?limit=5'),
];

export interface Load {
  succeeded: number;
  failures: string[];
  stop(): Promise<void>;
}

/**
 * Starts clients with one keep-alive connection each, which read and write without Idempotency-Key and without retries.
 * @param options.created collects the ids of the created leads
 */
export function startLoad(options: {
  port: number;
  headers: Record<string, string>;
  clients: number;
  perSecond: number;
  created: Set<string>;
}): Load {
  const { port, headers, clients, perSecond, created } = options;
  let isRunning = true;
  const client = async (index: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let lastLead = '';
    for (let count = index; isRunning; count++) {
      const startedAt = performance.now();
      const next = calls[count % calls.length] as (typeof calls)[number];
      const call = lastLead ? next(lastLead) : createLead();
      try {
        const { status, body } = await send({ port, headers, agent, ...call });
        if (status >= 400) load.failures.push(`${call.method} ${call.path}: ${status} ${JSON.stringify(body)}`);
        else load.succeeded++;
        if (status === 201 && call.path === '/v1/leads') {
          lastLead = body.data?.id as string;
          created.add(lastLead);
        }
      } catch (error) {
        load.failures.push(`${call.method} ${call.path}: ${error}`);
      }
      const restMs = (clients * 1_000) / perSecond - (performance.now() - startedAt);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    agent.destroy();
  };
  const ended = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  const load: Load = {
    succeeded: 0,
    failures: [],
    async stop() {
      isRunning = false;
      await ended;
    },
  };
  return load;
}
