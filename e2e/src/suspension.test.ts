import { internalTenantLife } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { asOperator, operatorClient } from './operator.ts';

// Documented limit: credentials of a suspended tenant stop within a second, at every gateway.
const promisedMs = 1_000;

let fleet: TestFleet;
let tenant: TestTenant;
let bases: string[];
beforeAll(async () => {
  fleet = await startFleet({ gateways: 2, services: ['identity', 'crm'] });
  tenant = await aTenant(fleet);
  bases = [fleet.baseUrl, `http://127.0.0.1:${fleet.environment['gateway2']?.['PORT']}`];
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

const credentials = {
  'an API key': () => ({ 'x-api-key': tenant.live }),
  'a session': () => ({ authorization: `Bearer ${tenant.accessToken}`, 'x-tenant-id': tenant.id }),
};
const everyPlace = () =>
  bases.flatMap((base) => Object.entries(credentials).map(([name, headers]) => ({ base, name, headers: headers() })));

/** Calls every gateway with every credential until all responses have the status. */
async function untilAll(status: number): Promise<{ code: string | undefined }[]> {
  return Promise.all(
    everyPlace().map(({ base, name, headers }) =>
      until(`${name} gets ${status} at ${base}`, async () => {
        const response = await fetch(`${base}/v1/leads?limit=1`, { headers });
        const { code } = (await response.json()) as { code?: string };
        return response.status === status && { code };
      }),
    ),
  );
}

/** Opens a stream of notifications at each gateway. */
async function openStreams() {
  return Promise.all(
    bases.map(async (base) => {
      const response = await fetch(`${base}/v1/notifications/stream`, { headers: credentials['a session']() });
      expect(response.status).toBe(200);
      const stream = { endedAt: 0 };
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const drain = async () => {
        while (!(await reader.read()).done);
      };
      void drain()
        .catch(() => {})
        .finally(() => {
          stream.endedAt = performance.now();
        });
      return stream;
    }),
  );
}

it('suspending a tenant stops keys, sessions and open streams within a second, and resuming opens them', async () => {
  const ids = createIdCodec(fleet.environment['gateway']?.['IDS_ALPHABET'] as string);
  const body = { tenantId: ids.decode('tenant', undefined, tenant.id) as number };
  const operator = operatorClient(fleet, internalTenantLife);
  // All gateways have cached the credentials.
  await untilAll(200);
  const streams = await openStreams();

  await operator.suspendTenant({ body, as: asOperator });
  const suspendedAt = performance.now();
  const refused = await untilAll(403);
  const refusedAfterMs = performance.now() - suspendedAt;
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['tenant_suspended']));
  expect(refusedAfterMs).toBeLessThan(promisedMs);
  await until('the streams have ended', () => streams.every(({ endedAt }) => endedAt > 0));
  for (const { endedAt } of streams) expect(endedAt - suspendedAt).toBeLessThan(promisedMs);

  await operator.resumeTenant({ body, as: asOperator });
  const resumedAt = performance.now();
  await untilAll(200);
  expect(performance.now() - resumedAt).toBeLessThan(promisedMs);
});
