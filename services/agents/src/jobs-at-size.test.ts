import type { agents } from '@tandem/agents-contract';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { createService } from '@tandem/service';
import { type TestService, testService, until } from '@tandem/testing';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { ownSettings } from './agents.test-service.ts';
import type { Tx } from './handler.ts';
import { agentsService } from './service.ts';

// Guarantees of packages/jobs for backlogs, several processes, data loss in Redis, and jobs that always fail.

const noPeers = { CRM_URL: 'http://127.0.0.1:1', IDENTITY_URL: 'http://127.0.0.1:1' };

// Limits of dispatcher and worker: entries waiting in Redis, and concurrent jobs.
const entriesMax = 40;
const concurrency = 20;

const payload = z.object({ tenant: z.number(), number: z.number(), fails: z.boolean() });
type Payload = z.output<typeof payload>;
interface ProbeRun extends Payload {
  by: 'first' | 'second';
  at: number;
}
let runs: ProbeRun[] = [];
let givenUp: Payload[] = [];
let gate: Promise<void> = Promise.resolve();

/** The job of one process: waits for the gate, and fails if its payload has `fails`. */
const probeOf = (by: ProbeRun['by']) =>
  job({
    name: 'probe',
    payload,
    async run({ payload: input, finish }: JobContext<Payload, Tx>) {
      runs.push({ ...input, by, at: Date.now() });
      await gate;
      if (input.fails) throw new Error('It always fails');
      await finish(async () => {});
    },
    async giveUp({ payload: input, tx }: GiveUpContext<Payload, Tx>) {
      await tx.sql`SELECT 1`;
      givenUp.push(input);
    },
  });

let service: TestService<typeof agents>;
let second: ReturnType<typeof createService>;
let namespace: string;
const redis = new Redis(process.env['TEST_REDIS_URL'] as string);
beforeAll(async () => {
  service = await testService('agents', (settings) => {
    namespace = settings.NAMESPACE;
    const definition = agentsService({ ...settings, ...ownSettings, ...noPeers });
    second = createService({ ...definition, jobs: [probeOf('second')] });
    return { ...definition, jobs: [probeOf('first')] };
  });
  // The statements of this test access rows of several tenants.
  await service.sql('ALTER TABLE platform.job NO FORCE ROW LEVEL SECURITY');
});
beforeEach(() => {
  runs = [];
  givenUp = [];
  gate = Promise.resolve();
});
afterEach(() => service.sql('DELETE FROM platform.job'));
afterAll(async () => {
  await second?.close();
  await service?.close();
  redis.disconnect();
});

/** Adds jobs of a tenant with this delay. */
const add = (tenant: number, jobs: number, { fails = false, inSeconds = 0 } = {}) =>
  service.sql(
    `INSERT INTO platform.job (name, tenant_id, environment, payload, due_at)
     SELECT 'probe', $1::int, 'live', jsonb_build_object('tenant', $1::int, 'number', n, 'fails', $3::boolean),
       now() + make_interval(secs => $4::float) FROM generate_series(1, $2::int) AS n`,
    [tenant, jobs, fails, inSeconds],
  );
const rowsLeft = () => service.sql('SELECT state, attempts, error FROM platform.job ORDER BY id');
const allDone = () => until('all are done', async () => (await rowsLeft()).length === 0);
const waitingInRedis = () => redis.llen(`{${namespace}}:agents:wait`);

/** Blocks runs until the returned function is called. */
function closeGate(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  return resolve;
}

it('a backlog stays in PostgreSQL; Redis only has jobs that run next', async () => {
  const open = closeGate();
  await add(1, 1_000);
  await until('all slots are taken', () => runs.length === 2 * concurrency);
  await until('Redis has some more', async () => (await waitingInRedis()) >= entriesMax / 2);
  // Two dispatchers may fill the same free space at the same time.
  expect(await waitingInRedis()).toBeLessThanOrEqual(2 * entriesMax);
  open();
  await allDone();
  expect(new Set(runs.map(({ number }) => number)).size).toBe(1_000);
});

it('a tenant’s job does not wait behind the backlog of another', async () => {
  // Later jobs of more tenants than one dispatcher pass visits.
  await service.sql(`INSERT INTO platform.job (name, tenant_id, environment, payload, due_at)
    SELECT 'probe', 10 + n, 'live', '{}', now() + interval '1 hour' FROM generate_series(1, 1_500) AS n`);
  await add(1, 5_000);
  await until('the backlog runs', () => runs.length > 100);
  await add(5_000, 1);
  const before = runs.length;
  const index = await until('the other tenant’s job runs', () => {
    const found = runs.findIndex(({ tenant }) => tenant === 5_000);
    return found >= 0 && found;
  });
  // Jobs that are already running, in Redis or being moved there run first.
  expect(index - before).toBeLessThan(10 * entriesMax);
});

it('two processes share the jobs, and each job runs once', async () => {
  await add(1, 200);
  await add(2, 200);
  await allDone();
  expect(runs).toHaveLength(400);
  expect(new Set(runs.map(({ tenant, number }) => `${tenant}/${number}`)).size).toBe(400);
  expect(new Set(runs.map(({ by }) => by))).toEqual(new Set(['first', 'second']));
});

it('no job is lost when Redis loses its data during a backlog', async () => {
  const open = closeGate();
  await add(1, 200);
  await until('all slots are taken', () => runs.length === 2 * concurrency);
  await until('Redis has some more', async () => (await waitingInRedis()) > 0);
  await redis.del(await redis.keys(`{${namespace}}:agents:*`));
  // Skips the time after which queued jobs count as lost.
  await service.sql(`UPDATE platform.job SET queued_at = now() - interval '31 s' WHERE state = 'queued'`);
  open();
  await allDone();
  expect(new Set(runs.map(({ number }) => number)).size).toBe(200);
});

it('a job that always fails is given up after ten attempts without affecting others', async () => {
  await add(1, 1, { fails: true });
  await add(1, 50);
  await until('the others are done', async () => (await rowsLeft()).length === 1);
  for (let attempt = 1; attempt < 10; attempt += 1) {
    await until('the attempt has failed', async () => {
      const [row] = await rowsLeft();
      return row?.['state'] === 'waiting' && row['attempts'] === attempt;
    });
    expect(givenUp).toEqual([]);
    await service.sql('UPDATE platform.job SET due_at = now()');
  }
  await until('it is dead', async () => (await rowsLeft())[0]?.['state'] === 'dead');
  expect(await rowsLeft()).toEqual([{ state: 'dead', attempts: 10, error: 'It always fails' }]);
  expect(runs.filter(({ fails }) => fails)).toHaveLength(10);
  expect(givenUp).toEqual([{ tenant: 1, number: 1, fails: true }]);
});

it('a delayed job does not run before its due time', async () => {
  const [due] = await service.sql(`SELECT extract(epoch FROM now() + interval '2 s') * 1000 AS at`);
  await add(1, 1, { inSeconds: 2 });
  await add(2, 1);
  await allDone();
  expect(runs.map(({ tenant }) => tenant)).toEqual([2, 1]);
  expect(runs[1]?.at).toBeGreaterThanOrEqual(Math.floor(Number(due?.['at'])));
});
