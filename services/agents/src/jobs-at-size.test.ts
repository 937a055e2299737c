import type { agents } from '@tandem/agents-contract';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { createService } from '@tandem/service';
import { type TestService, testService, until } from '@tandem/testing';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { Tx } from './handler.ts';
import { agentsService } from './service.ts';
import { agentsSettings } from './settings.ts';

// What packages/jobs promises about backlogs, several processes, a Redis that loses its data, and jobs that always fail.

const own = agentsSettings.pick({ IDS_ALPHABET: true }).parse(process.env);
const nobody = { CRM_URL: 'http://127.0.0.1:1', IDENTITY_URL: 'http://127.0.0.1:1' };

// Two of the dispatcher's and worker's figures: entries that wait in Redis, and jobs that work at once.
const entriesMax = 40;
const concurrency = 20;

const payload = z.object({ tenant: z.number(), number: z.number(), fails: z.boolean() });
type Payload = z.output<typeof payload>;
interface Ran extends Payload {
  by: 'first' | 'second';
  at: number;
}
let ran: Ran[] = [];
let givenUp: Payload[] = [];
let gate: Promise<void> = Promise.resolve();

/** The job of one process: it waits for the gate, and fails when its payload says so. */
const probeOf = (by: Ran['by']) =>
  job({
    name: 'probe',
    payload,
    async run({ payload: given, finish }: JobContext<Payload, Tx>) {
      ran.push({ ...given, by, at: Date.now() });
      await gate;
      if (given.fails) throw new Error('It always fails');
      await finish(async () => {});
    },
    async giveUp({ payload: given, tx }: GiveUpContext<Payload, Tx>) {
      await tx.sql`SELECT 1`;
      givenUp.push(given);
    },
  });

let service: TestService<typeof agents>;
let second: ReturnType<typeof createService>;
let namespace: string;
const redis = new Redis(process.env['TEST_REDIS_URL'] as string);
beforeAll(async () => {
  service = await testService('agents', (given) => {
    namespace = given.NAMESPACE;
    const definition = agentsService({ ...given, ...own, ...nobody });
    second = createService({ ...definition, jobs: [probeOf('second')] });
    return { ...definition, jobs: [probeOf('first')] };
  });
  // Rows of several tenants are written and read by one statement here.
  await service.sql('ALTER TABLE platform.job NO FORCE ROW LEVEL SECURITY');
});
beforeEach(() => {
  ran = [];
  givenUp = [];
  gate = Promise.resolve();
});
afterEach(() => service.sql('DELETE FROM platform.job'));
afterAll(async () => {
  await second?.close();
  await service?.close();
  redis.disconnect();
});

/** Adds jobs of a tenant that are due after this many seconds. */
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

/** Keeps runs from ending until the function that it returns is called. */
function closeGate(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  return resolve;
}

it('a backlog stays in PostgreSQL: Redis has what is about to run', async () => {
  const open = closeGate();
  await add(1, 1_000);
  await until('all slots are taken', () => ran.length === 2 * concurrency);
  await until('Redis has some more', async () => (await waitingInRedis()) >= entriesMax / 2);
  // Two dispatchers may fill the same room at one moment.
  expect(await waitingInRedis()).toBeLessThanOrEqual(2 * entriesMax);
  open();
  await allDone();
  expect(new Set(ran.map(({ number }) => number)).size).toBe(1_000);
});

it('a tenant’s job does not wait behind the backlog of another', async () => {
  // Jobs of many tenants that are due later, more than one look visits.
  await service.sql(`INSERT INTO platform.job (name, tenant_id, environment, payload, due_at)
    SELECT 'probe', 10 + n, 'live', '{}', now() + interval '1 hour' FROM generate_series(1, 1_500) AS n`);
  await add(1, 5_000);
  await until('the backlog runs', () => ran.length > 100);
  await add(5_000, 1);
  const before = ran.length;
  const index = await until('the other tenant’s job runs', () => {
    const found = ran.findIndex(({ tenant }) => tenant === 5_000);
    return found >= 0 && found;
  });
  // What was in Redis or running by then goes first, and what a dispatcher was just moving.
  expect(index - before).toBeLessThan(10 * entriesMax);
});

it('two processes share the jobs, and each job runs once', async () => {
  await add(1, 200);
  await add(2, 200);
  await allDone();
  expect(ran).toHaveLength(400);
  expect(new Set(ran.map(({ tenant, number }) => `${tenant}/${number}`)).size).toBe(400);
  expect(new Set(ran.map(({ by }) => by))).toEqual(new Set(['first', 'second']));
});

it('a Redis that loses its data in the middle of a backlog loses no job', async () => {
  const open = closeGate();
  await add(1, 200);
  await until('all slots are taken', () => ran.length === 2 * concurrency);
  await until('Redis has some more', async () => (await waitingInRedis()) > 0);
  await redis.del(await redis.keys(`{${namespace}}:agents:*`));
  // Instead of waiting until they count as lost.
  await service.sql(`UPDATE platform.job SET queued_at = now() - interval '31 s' WHERE state = 'queued'`);
  open();
  await allDone();
  expect(new Set(ran.map(({ number }) => number)).size).toBe(200);
});

it('a job that always fails is given up after ten attempts and harms no other', async () => {
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
  expect(ran.filter(({ fails }) => fails)).toHaveLength(10);
  expect(givenUp).toEqual([{ tenant: 1, number: 1, fails: true }]);
});

it('a job that is due later runs then, and not before', async () => {
  const [due] = await service.sql(`SELECT extract(epoch FROM now() + interval '2 s') * 1000 AS at`);
  await add(1, 1, { inSeconds: 2 });
  await add(2, 1);
  await allDone();
  expect(ran.map(({ tenant }) => tenant)).toEqual([2, 1]);
  expect(ran[1]?.at).toBeGreaterThanOrEqual(Math.floor(Number(due?.['at'])));
});
