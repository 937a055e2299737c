import { join } from 'node:path';
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
import { findServices } from '@tandem/tooling';
import { aLead, send, startLoad } from './rolling-load.ts';

// Restarts every process under steady load, as a rolling release on Kubernetes does: two instances of the gateway and of
// each service behind load balancers that remove an instance if /readyz fails. As there, several deployments replace
// their instances at the same time, each one instance after the other. ROLLING_PER_SECOND=300 sets the maximum rate.

const perSecond = Number(process.env.ROLLING_PER_SECOND ?? 100);
// Reached even while a busy machine with two cores starts the processes again; lower means that the load stood still.
const rateMin = perSecond / 10;
const clients = 12;
const probeEveryMs = 100;
// Longer than a busy machine stands still: an instance that does not answer probes meanwhile still gets connections.
const delayMs = 2_000;
const slowMs = 3_000;
// Well above the slow request of three seconds (promise T15).
const slowShutdownMsMax = 15_000;
const shutdownMsMax = 5_000;
const requestsAfterRestart = 50;
// Three processes start at the same time, under load.
const startMsMax = 120_000;

const services = findServices(join(import.meta.dirname, '../..')).map(({ name }) => name);
/** Processes that are restarted at the same time. */
const waves = wavesOf(['gateway', ...services], 3);
const slowWaves = wavesOf(['gateway', 'crm', 'identity'], 3);
/** Services whose instances share consumers or jobs, with a counter of the work of one instance. */
const shared = {
  crm: 'events_consumed_total',
  identity: 'events_consumed_total',
  integrations: 'job_duration_seconds_count',
  partner: 'events_consumed_total',
  search: 'events_consumed_total',
};

let fleet: TestFleet;
let tenant: TestTenant;
let front: Balancer;
let frontPort: number;
let receiver: Receiver;

beforeAll(async () => {
  fleet = await startFleet({
    gateways: 2,
    instances: Object.fromEntries(services.map((name) => [name, 2])),
    probeEveryMs,
    // Without the cache of compiled code, which a process writes when it exits: that can take longer than the shutdown.
    env: { SHUTDOWN_DELAY_MS: String(delayMs), NODE_DISABLE_COMPILE_CACHE: '1' },
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

/** Leads that the load and the slow requests have created. */
const created = new Set<string>();

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

/**
 * Restarts the processes of each wave under load, after those of the previous wave are ready again, and prints how long
 * they took.
 */
async function release(options: {
  waves: readonly (readonly string[])[];
  terminate: (name: string) => Promise<Ending>;
  msMax: number;
}): Promise<void> {
  const { waves, terminate, msMax } = options;
  const load = startLoad({ port: frontPort, headers: { 'x-api-key': tenant.live }, clients, perSecond, created });
  await until('the load runs', () => load.succeeded > requestsAfterRestart);
  const startedAt = performance.now();
  const succeededBefore = load.succeeded;
  const endedAfterMs: Record<string, number> = {};
  for (const names of waves) {
    const restart = async (name: string) => {
      const { end, ms, errors } = await terminate(name);
      expect([name, end, errors]).toEqual([name, 'exited with code 0', []]);
      endedAfterMs[name] = Math.round(ms);
      await until(`${name} is back`, () => fleet.ready(name), startMsMax);
    };
    await Promise.all(names.map(restart));
    const before = load.succeeded;
    await until('the load continues', () => load.succeeded >= before + requestsAfterRestart);
  }
  const rate = Math.round(((load.succeeded - succeededBefore) * 1_000) / (performance.now() - startedAt));
  await untilAllWork();
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

/** Every restarted instance gets its share of the events and jobs of its service. */
async function untilAllWork(): Promise<void> {
  for (const [service, metric] of Object.entries(shared))
    for (const name of [service, `${service}2`])
      await until(`${name} has worked since its start`, async () => {
        const response = await fetch(`http://127.0.0.1:${fleet.environment[name]?.PORT}/metrics`);
        const counted = new RegExp(`^tandem_${metric}\\{.* [1-9]`, 'm');
        return counted.test(await response.text());
      });
}

/** The first instances of these deployments, `size` at a time, then the second ones. */
function wavesOf(deployments: readonly string[], size: number): string[][] {
  const groups = Array.from({ length: Math.ceil(deployments.length / size) }, (_, index) =>
    deployments.slice(index * size, (index + 1) * size),
  );
  return [groups, groups.map((names) => names.map((name) => `${name}2`))].flat();
}

describe('restarting every process fails no request and loses no write', () => {
  it('while each of three deployments has a slow request, which it finishes', async () => {
    await release({ waves: slowWaves, terminate: terminateDuringRequest, msMax: slowShutdownMsMax });
  }, 600_000);

  it('and each exits within 5 s when no request is slow, also one that handles events or runs jobs', async () => {
    await release({ waves, terminate: fleet.terminate, msMax: shutdownMsMax });
    await until('every lead was delivered', () => receiver.deliveries.length >= created.size);
    await until('every lead is found', async () => {
      const { pagination } = await tenant.api.searchLeads({ query: { q: 'lead', limit: 1 } });
      return pagination?.total === created.size;
    });
  }, 600_000);
});
