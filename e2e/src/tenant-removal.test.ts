import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dataServices, internalAccess, internalTenantLife } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { aTenant, type Receiver, startFleet, startReceiver, type TestFleet } from '@tandem/test-fleet';
import { openTables, type Tables, until } from '@tandem/testing';
import { Redis } from 'ioredis';
import { directCalls } from './foreign-ids/direct.ts';
import type { Setup } from './foreign-ids/records.ts';
import { createWorld, sharedRecords, worldSettings } from './foreign-ids/world.ts';
import { asOperator, operatorClient } from './operator.ts';
import { fillEmptyTables, rowsOf } from './tenant-rows.ts';

// Data that remains in databases, object storage and Redis after a tenant is deleted.

/** The only columns that keep the number of a deleted tenant, and why. */
const kept: Record<string, string> = {
  'identity public.tenant_deletion.tenant_number': 'the proof of the deletion',
  'identity public.tenant_directory.id': 'the number is not given to another tenant',
  ...Object.fromEntries(
    ['identity', ...dataServices].map((service) => [
      `${service} platform.tenant_state.tenant_id`,
      'late events and jobs are dropped',
    ]),
  ),
};
// Monthly call counters. docs/operations.md states when they expire.
const redisDaysMax = 40;
// Events and jobs of the setup follow one another within this time.
const quietMs = 2_000;

let fleet: TestFleet;
let receiver: Receiver;
let redis: Redis;
let databases: Record<string, Tables>;
beforeAll(async () => {
  fleet = await startFleet({ env: worldSettings });
  receiver = await startReceiver();
  redis = new Redis(fleet.environment['gateway']?.['REDIS_URL'] as string);
  databases = Object.fromEntries(
    await Promise.all(
      ['identity', ...dataServices].map(
        async (name) => [name, await openTables(fleet.environment[name]?.['DATABASE_URL'] as string)] as const,
      ),
    ),
  );
}, 240_000);
afterAll(async () => {
  redis?.disconnect();
  await Promise.all(Object.values(databases ?? {}).map((one) => one.close()));
  await receiver?.close();
  await fleet?.stop();
}, 90_000);

/** The rows of a tenant in every database, by service, table and column. */
async function everyRowOf(tenantId: number): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [service, tables] of Object.entries(databases))
    for (const [name, rows] of Object.entries(await rowsOf(tables, tenantId))) found[`${service} ${name}`] = rows;
  return found;
}

/** Excludes the platform tables, whose events and jobs come and go. */
const records = (rows: Record<string, number>) =>
  Object.fromEntries(Object.entries(rows).filter(([name]) => !name.includes(' platform.')));

const settled = () => {
  let [seen, changedAt] = ['', Date.now()];
  return until('events and jobs have been handled', async () => {
    const states = await Promise.all(Object.values(databases).map((one) => one.states()));
    const now = JSON.stringify(states);
    if (now !== seen) [seen, changedAt] = [now, Date.now()];
    return Date.now() - changedAt > quietMs;
  });
};

const folderOf = (tenantId: number) =>
  join(fleet.environment['files']?.['DATA_DIR'] as string, 'objects', String(tenantId));

/** The keys of a tenant in Redis, and the seconds until each expires. */
async function redisKeysOf(tenantId: number): Promise<[key: string, seconds: number][]> {
  const namespace = fleet.environment['gateway']?.['NAMESPACE'] as string;
  const keys = (await redis.keys(`*${namespace}*`)).filter((key) => new RegExp(`\\bt:${tenantId}\\b`).test(key));
  return Promise.all(keys.map(async (key) => [key, await redis.ttl(key)] as [string, number]));
}

it('only the record of the deletion remains of a deleted tenant, and other tenants lose nothing', async () => {
  const ids = createIdCodec(fleet.environment['gateway']?.['IDS_ALPHABET'] as string);
  const setup: Setup = { direct: directCalls(fleet), ids, receiverUrl: receiver.url };
  const [doomed, other] = [await sharedRecords(setup), await sharedRecords(setup)];
  await createWorld(setup, doomed, 'live');
  await createWorld(setup, doomed, 'sandbox');
  await createWorld(setup, other, 'live');
  // Calls through the gateway, which counts them.
  const api = fleet.api({ apiKey: doomed.fullKey });
  await api.listLeads();
  await settled();
  const others = await everyRowOf(other.tenantId);
  expect([existsSync(folderOf(doomed.tenantId)), existsSync(folderOf(other.tenantId))]).toEqual([true, true]);
  expect((await redisKeysOf(doomed.tenantId)).length).toBeGreaterThan(0);

  const operator = operatorClient(fleet, internalTenantLife);
  const body = { tenantId: doomed.tenantId };
  await operator.suspendTenant({ body, as: asOperator });
  for (const [service, tables] of Object.entries(databases))
    await fillEmptyTables(tables, doomed.tenantId, (name) => `${service} ${name}` in kept);
  await operator.deleteTenant({ body: { ...body, graceDays: 0 }, as: asOperator });
  const life = await until(
    'every service has removed its part',
    async () => {
      const { deletion } = await operator.showTenant({ body, as: asOperator });
      return deletion?.state === 'completed' && deletion;
    },
    120_000,
  );
  expect(life.removed.map(({ service }) => service).sort()).toEqual([...dataServices, 'identity'].sort());
  // A gateway may report its calls late.
  const month = new Date().toISOString().slice(0, 7);
  const calls = [{ tenantId: doomed.tenantId, month, calls: 5 }];
  await operatorClient(fleet, internalAccess).recordUsage({
    body: { gateway: `removal-${doomed.tenantId}`, batch: 1, calls },
    as: asOperator,
  });
  // Events in flight are published and dropped.
  await settled();

  const left = await everyRowOf(doomed.tenantId);
  expect(Object.keys(left).sort()).toEqual(Object.keys(kept).sort());
  expect(records(await everyRowOf(other.tenantId))).toEqual(records(others));
  expect([existsSync(folderOf(doomed.tenantId)), existsSync(folderOf(other.tenantId))]).toEqual([false, true]);
  for (const [key, seconds] of await redisKeysOf(doomed.tenantId)) {
    expect([key, seconds > 0 && seconds <= redisDaysMax * 86_400]).toEqual([key, true]);
  }
  // The service continues to serve other tenants.
  const next = await aTenant(fleet);
  expect((await next.api.listLeads()).data).toEqual([]);
}, 400_000);
