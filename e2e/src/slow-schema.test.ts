import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

let fleet: TestFleet;
let tenant: TestTenant;
let neighbour: TestTenant;
beforeAll(async () => {
  fleet = await startFleet({ services: ['identity', 'campaign'] });
  [tenant, neighbour] = [await aTenant(fleet), await aTenant(fleet)];
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

const generate = ({ live }: TestTenant, responseSchema: object) =>
  fetch(`${fleet.baseUrl}/v1/ai-generation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': live },
    body: JSON.stringify({ prompt: 'A title', responseSchema }),
  });
const simple = { type: 'object', properties: { title: { type: 'string', minLength: 1 } }, required: ['title'] };
const statusOf = async (response: Promise<Response>) => (await response).status;

/** Freezes a process for longer than the CPU limit of any task. */
async function pause(name: string): Promise<void> {
  const pid = fleet.pid(name);
  process.kill(pid, 'SIGSTOP');
  try {
    const startedAt = performance.now();
    await until('it has been frozen for 1.5 s', () => performance.now() - startedAt > 1_500);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

it('a process that is frozen while it compiles its first schema still serves all tenants afterwards', async () => {
  const first = statusOf(generate(tenant, simple));
  const startedAt = performance.now();
  await until('the service is processing the request', () => performance.now() - startedAt > 50);
  await pause('campaign');
  expect([200, 503]).toContain(await first);
  for (const who of [tenant, neighbour, tenant]) expect(await statusOf(generate(who, simple))).toBe(200);
}, 60_000);

it('schemas that are too complex do not block other tenants', async () => {
  const level = (n: number): [string, object] => [`a${n}`, { anyOf: Array(3).fill({ $ref: `#/$defs/a${n + 1}` }) }];
  const $defs = { ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => level(n))), a30: { type: 'string' } };
  const complex = { $ref: '#/$defs/a0', not: { type: 'string' }, $defs };
  const attack = Promise.all(Array.from({ length: 25 }, () => statusOf(generate(tenant, complex))));
  const neighbours = Array.from({ length: 10 }, () => neighbour.api.listCampaigns().then(({ status }) => status));
  expect(await Promise.all(neighbours)).toEqual(Array(10).fill(200));
  expect(await statusOf(generate(neighbour, simple))).toBe(200);
  const statuses = new Set(await attack);
  expect([...statuses].filter((status) => status !== 422 && status !== 503)).toEqual([]);
  expect(await statusOf(generate(tenant, simple))).toBe(200);
}, 60_000);
