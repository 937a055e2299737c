import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { type OwnStores, ownStores } from './own-stores.ts';

const redisTimeoutMs = 50;
// Half of the gateway's upstream timeout (D15): a faster response was not caused by a timeout.
const immediateMs = 5_000;

let stores: OwnStores;
let fleet: TestFleet;
let tenant: TestTenant;
let leadId: string;
const stopped: (() => void)[] = [];

beforeAll(async () => {
  stores = await ownStores('outages');
  fleet = await startFleet({
    stores,
    services: ['identity', 'crm', 'integrations'],
    env: { REDIS_TIMEOUT_MS: String(redisTimeoutMs) },
  });
  tenant = await aTenant(fleet, { monthlyCalls: 1_000_000, ratePerMinute: 100_000 });
  leadId = (await tenant.api.createLead({ body: aBody() })).data.id;
}, 240_000);
afterEach(async () => {
  resumeAll();
  await until(
    'everything works again',
    async () => (await ask()).status === 200 && (await create()).status === 201,
    60_000,
  );
}, 90_000);
afterAll(async () => {
  await fleet?.stop();
  await stores?.stop();
}, 90_000);

function resumeAll(): void {
  for (const resume of stopped.splice(0)) resume();
}

let leads = 0;
const aBody = () => ({ email: `lead-${++leads}@example.com`, firstName: 'A', lastName: `B${leads}` });

interface Seen {
  status: number;
  ms: number;
  headers: Headers;
  body: { code?: string; data?: { id: string } };
}

async function send(path: string, init: RequestInit = {}, key = tenant.live): Promise<Seen> {
  const startedAt = performance.now();
  const response = await fetch(`${fleet.baseUrl}${path}`, {
    ...init,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
  });
  const body = (await response.json()) as Seen['body'];
  return { status: response.status, ms: performance.now() - startedAt, headers: response.headers, body };
}
const ask = (key?: string) => send(`/v1/leads/${leadId}`, {}, key);
const create = () => send('/v1/leads', { method: 'POST', body: JSON.stringify(aBody()) });

function stop(store: 'redis' | 'rabbitmq'): void {
  stores.signal(store, 'SIGSTOP');
  stopped.push(() => stores.signal(store, 'SIGCONT'));
}
function stopMember(name: string): void {
  const pid = fleet.pid(name);
  process.kill(pid, 'SIGSTOP');
  stopped.push(() => void process.kill(pid, 'SIGCONT'));
}

/** The duration of a call without an outage, for a tenant that is not part of the test. */
async function normalDuration(): Promise<number> {
  const other = await aTenant(fleet);
  const calls = [];
  for (let call = 0; call < 10; call++) calls.push(await send('/v1/leads', {}, other.live));
  return Math.min(...calls.map(({ ms }) => ms));
}

describe('without Redis', () => {
  it('requests are served with degraded limits, and counted afterwards', async () => {
    const normalMs = await normalDuration();
    const before = Number((await ask()).headers.get('x-api-usage-current'));
    stop('redis');
    const during: Seen[] = [];
    for (let call = 0; call < 20; call++) during.push(await ask());
    expect(new Set(during.map((seen) => seen.status))).toEqual(new Set([200]));
    expect(during.filter((seen) => seen.headers.get('x-ratelimit-degraded') === '1').length).toBeGreaterThanOrEqual(19);
    // Once the breaker is open, no call waits for the Redis timeout of 50 ms.
    await until('a call takes no longer than without an outage', async () => {
      during.push(await ask());
      return (during.at(-1)?.ms as number) < normalMs + redisTimeoutMs;
    });
    resumeAll();
    const after = await until('limits use Redis again', async () => {
      const seen = await ask();
      during.push(seen);
      return seen.headers.get('x-ratelimit-degraded') === null && seen;
    });
    // Commands that timed out run when Redis resumes. They report absolute counts, so each call counts once.
    expect(Number(after.headers.get('x-api-usage-current')) - before).toBe(during.length);
  });
});

describe('without RabbitMQ', () => {
  it('writes continue, and their events arrive after the outage', async () => {
    stop('rabbitmq');
    const created = [];
    for (let call = 0; call < 10; call++) created.push(await create());
    expect(created.map((seen) => seen.status)).toEqual(Array(10).fill(201));
    resumeAll();
    for (const { body } of created) {
      await until(
        'the audit entry',
        async () =>
          (await tenant.api.listAuditLogs({ query: { targetId: body.data?.id as string } })).pagination?.total === 1,
        60_000,
      );
    }
  }, 150_000);
});

describe('without PostgreSQL', () => {
  it('returns 503 with Retry-After, never 500, and nothing acknowledged is lost', async () => {
    const acknowledged: string[] = [];
    const seen = new Map<number, number>();
    let isRunning = true;
    const work = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (isRunning) {
          const reply = await create();
          seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1);
          if (reply.status === 201) acknowledged.push(reply.body.data?.id as string);
          else expect(reply.headers.get('retry-after')).not.toBeNull();
        }
      }),
    );
    await until('some leads are written', () => acknowledged.length > 50);
    stores.signal('postgres', 'SIGKILL');
    await until('the outage shows', () => (seen.get(503) ?? 0) > 0);
    const before = acknowledged.length;
    await until('writes succeed again', () => acknowledged.length > before + 50, 60_000);
    isRunning = false;
    await work;
    expect([...seen.keys()].filter((status) => ![201, 503, 504].includes(status))).toEqual([]);
    for (const id of acknowledged) expect((await tenant.api.getLead({ params: { id } })).data.id).toBe(id);
  }, 150_000);
});

describe('without one service', () => {
  it('its paths answer 503 immediately once the breaker is open; others are not affected', async () => {
    stopMember('crm');
    const first = await Promise.all(Array.from({ length: 8 }, () => ask()));
    expect(first.every((seen) => seen.status === 504 || seen.status === 503)).toBe(true);
    const next = await Promise.all(Array.from({ length: 8 }, () => ask()));
    const refused = next.filter((seen) => seen.status === 503 && seen.ms < immediateMs);
    expect(refused.length).toBeGreaterThanOrEqual(7);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    const other = await send('/v1/users');
    expect([other.status, other.ms < immediateMs]).toEqual([200, true]);
  }, 120_000);
});

describe('without identity', () => {
  it('recently used keys keep working; unknown ones get 503, not 401', async () => {
    const { data } = await tenant.owner.createApiKey({ body: { name: 'not used yet' } });
    await ask();
    stopMember('identity');
    expect((await ask()).status).toBe(200);
    expect((await ask(data.fullKey as string)).status).toBe(503);
    // After 5 s, cached credentials are stale.
    await until('a request to identity has timed out', async () => (await ask()).ms > 1_000, 60_000);
    expect((await ask()).status).toBe(200);
  }, 120_000);
});
