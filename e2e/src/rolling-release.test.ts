import { Agent, request as httpRequest } from 'node:http';
import { createCallerSigner } from '@tandem/caller';
import { createIdCodec } from '@tandem/ids';
import {
  aTenant,
  type Balancer,
  type Receiver,
  startBalancer,
  startFleet,
  startReceiver,
  type TestFleet,
  type TestTenant,
} from '@tandem/test-fleet';
import { until } from '@tandem/testing';

// Restarts every process in turn under steady load, as a rolling release on Kubernetes does: two instances of each
// behind load balancers that remove an instance if /readyz fails. ROLLING_PER_SECOND=300 sets the maximum rate.

const perSecond = Number(process.env.ROLLING_PER_SECOND ?? 100);
// Reached even while a busy machine with two cores starts the processes again; lower means that the load stood still.
const rateMin = perSecond / 10;
const clients = 12;
const probeEveryMs = 100;
const delayMs = 1_000;
const slowMs = 3_000;
// Well above the slow request of three seconds (promise T15).
const slowShutdownMsMax = 15_000;
const shutdownMsMax = 5_000;
const requestsAfterRestart = 50;

let fleet: TestFleet;
let tenant: TestTenant;
let front: Balancer;
let frontPort: number;
let receiver: Receiver;
const processes = ['gateway', 'gateway2', 'crm', 'crm2', 'identity', 'identity2'] as const;

beforeAll(async () => {
  fleet = await startFleet({
    services: ['identity', 'crm', 'integrations'],
    gateways: 2,
    instances: { crm: 2, identity: 2 },
    probeEveryMs,
    env: { SHUTDOWN_DELAY_MS: String(delayMs) },
  });
  const gateways = ['gateway', 'gateway2'].map((name) => Number(fleet.environment[name]?.PORT));
  front = await startBalancer(0, gateways, { probeEveryMs });
  frontPort = front.port;
  tenant = await aTenant(fleet, { monthlyCalls: 10_000_000, ratePerMinute: 1_000_000 });
  // Gives integrations a delivery, which is a job, for every lead of the load.
  receiver = await startReceiver();
  await tenant.api.createWebhook({ body: { url: receiver.url, events: ['lead.created'] } });
}, 240_000);
afterAll(async () => {
  await front?.close();
  await fleet?.stop();
  await receiver?.close();
}, 120_000);

interface Answer {
  status: number;
  body: { data?: { id?: string } };
}

/** Sends one request. With `hold`, the body is sent only after `hold.until`; `accepted` is called on 100 Continue. */
function send(options: {
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

/** Leads that the load and the slow requests have created. */
const created = new Set<string>();
let leads = 0;
const aLead = () => ({ email: `lead-${++leads}@example.com`, firstName: 'Lead', lastName: `Number${leads}` });

interface Load {
  succeeded: number;
  failures: string[];
  stop(): Promise<void>;
}

/**
 * Starts clients with one keep-alive connection each, which read and write without Idempotency-Key and without retries.
 */
function startLoad(): Load {
  let isRunning = true;
  const headers = { 'x-api-key': tenant.live };
  const client = async (index: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let lastLead = '';
    for (let count = index; isRunning; count++) {
      const startedAt = performance.now();
      const create = { method: 'POST', path: '/v1/leads', body: aLead() };
      const reads = [
        { method: 'GET', path: '/v1/leads?limit=5' },
        { method: 'GET', path: `/v1/leads/${lastLead}` },
        { method: 'GET', path: '/v1/users?limit=5' },
      ];
      const call = count % 4 === 0 || !lastLead ? create : (reads[(count % 4) - 1] as (typeof reads)[number]);
      try {
        const { status, body } = await send({ port: frontPort, headers, agent, ...call });
        if (status >= 400) load.failures.push(`${call.method} ${call.path}: ${status} ${JSON.stringify(body)}`);
        else load.succeeded++;
        if (status === 201) {
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

/** A request for a process whose body is sent only after the process has received SIGTERM. */
function slowRequest(name: string): { path: string; headers: Record<string, string>; body: object; expected: number } {
  if (name.startsWith('gateway'))
    return { path: '/v1/leads', headers: { 'x-api-key': tenant.live }, body: aLead(), expected: 201 };
  const { INTERNAL_SECRETS, IDS_ALPHABET } = fleet.environment.gateway as Record<string, string>;
  const signer = createCallerSigner(INTERNAL_SECRETS as string);
  const requestId = 'rolling-release';
  if (name.startsWith('identity')) {
    const path = '/internal/keys/resolve';
    const caller = { type: 'system', name: 'gateway', environment: 'live', permissions: [], requestId } as const;
    const headers = { 'x-ctx': signer.sign(caller, 'POST', path) };
    return { path, headers, body: { hash: '0'.repeat(64) }, expected: 404 };
  }
  const tenantId = createIdCodec(IDS_ALPHABET as string).decode('tenant', undefined, tenant.id) as number;
  const caller = {
    type: 'key',
    tenantId,
    keyId: 1,
    environment: 'live',
    permissions: ['leads:write'],
    requestId,
  } as const;
  return {
    path: '/v1/leads',
    headers: { 'x-ctx': signer.sign(caller, 'POST', '/v1/leads') },
    body: aLead(),
    expected: 201,
  };
}

type Ending = Awaited<ReturnType<TestFleet['terminate']>>;

/** Terminates a process with a slow request in flight. */
async function terminateDuringRequest(name: string): Promise<Ending> {
  const { expected, ...call } = slowRequest(name);
  const accepted = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow = send({
    port: Number(fleet.environment[name]?.PORT),
    method: 'POST',
    ...call,
    hold: { accepted: accepted.resolve, until: release.promise },
  });
  await Promise.race([accepted.promise, slow]);
  const ending = fleet.terminate(name);
  setTimeout(release.resolve, slowMs);
  const { status, body } = await slow;
  expect([name, status]).toEqual([name, expected]);
  if (status === 201) created.add(body.data?.id as string);
  return ending;
}

/** Restarts processes in turn under load, each after the previous one is ready again, and prints how long they took. */
async function release(options: {
  names: readonly string[];
  terminate: (name: string) => Promise<Ending>;
  msMax: number;
}): Promise<void> {
  const { names, terminate, msMax } = options;
  const load = startLoad();
  await until('the load runs', () => load.succeeded > requestsAfterRestart);
  const startedAt = performance.now();
  const succeededBefore = load.succeeded;
  const endedAfterMs: Record<string, number> = {};
  for (const name of names) {
    const { end, ms } = await terminate(name);
    expect([name, end]).toEqual([name, 'exited with code 0']);
    endedAfterMs[name] = Math.round(ms);
    await until(`${name} is back`, () => fleet.ready(name));
    const before = load.succeeded;
    await until('the load continues', () => load.succeeded >= before + requestsAfterRestart);
  }
  const rate = Math.round(((load.succeeded - succeededBefore) * 1_000) / (performance.now() - startedAt));
  await load.stop();
  const result = { program: 'rolling-release', requests: load.succeeded, failed: load.failures.length, rate };
  process.stdout.write(`${JSON.stringify({ ...result, endedAfterMs })}\n`);

  expect(load.failures).toEqual([]);
  expect(rate).toBeGreaterThanOrEqual(rateMin);
  expect(Object.entries(endedAfterMs).filter(([, ms]) => ms >= msMax)).toEqual([]);
  // A process may cache the total of a list for some seconds.
  await until('the list counts every acknowledged lead once', async () => {
    const { pagination } = await tenant.owner.listLeads({ query: { limit: 1 } });
    if (pagination?.total !== created.size) throw new Error(`${pagination?.total} instead of ${created.size}`);
    return true;
  });
}

describe('restarting every process in turn fails no request and loses no write', () => {
  it('while each has a slow request, which it finishes', async () => {
    await release({ names: processes, terminate: terminateDuringRequest, msMax: slowShutdownMsMax });
  }, 300_000);

  it('and each exits within 5 s when no request is slow, also one that runs jobs', async () => {
    await release({ names: [...processes, 'integrations'], terminate: fleet.terminate, msMax: shutdownMsMax });
    await until('every lead was delivered', () => receiver.deliveries.length >= created.size);
  }, 300_000);
});
