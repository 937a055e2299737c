import type { agents } from '@tandem/agents-contract';
import { type JobContext, job } from '@tandem/jobs';
import { type TestService, testService, until } from '@tandem/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { ownSettings } from './agents.test-service.ts';
import type { Tx } from './handler.ts';
import { agentsService } from './service.ts';

// A job whose runs are ended by the test, and whose effects are counted.
const payload = z.object({ form: z.literal('old').optional() });
let attemptCounts: number[] = [];
let finishRuns: ((error?: Error) => void)[] = [];
let rejections: Error[] = [];
const probe = job({
  name: 'probe',
  payload,
  async run({ attempts, finish }: JobContext<z.output<typeof payload>, Tx>) {
    attemptCounts.push(attempts);
    const error = await new Promise<Error | undefined>((resolve) => finishRuns.push(resolve));
    if (error) throw error;
    await finish(async ({ tx }) => {
      await tx.agent.updateMany({ where: { kind: 'caller' }, data: { version: { increment: 1 } } });
    }).catch((error) => {
      rejections.push(error);
      throw error;
    });
  },
});

// A job whose last step fails as well.
let giveUps = 0;
const hopeless = job({
  name: 'hopeless',
  payload: z.object({}),
  run: () => Promise.reject(new Error('It never works')),
  giveUp() {
    giveUps += 1;
    throw new Error('It cannot be given up');
  },
});

let service: TestService<typeof agents>;
let namespace: string;
const redis = new Redis(process.env['TEST_REDIS_URL'] as string);
beforeAll(async () => {
  service = await testService('agents', (settings) => {
    namespace = settings.NAMESPACE;
    return {
      ...agentsService({
        ...settings,
        ...ownSettings,
        CRM_URL: 'http://127.0.0.1:1',
        IDENTITY_URL: 'http://127.0.0.1:1',
      }),
      jobs: [probe, hopeless],
      // None of these waits for another system.
      jobsOutsideMax: 0,
    };
  });
});
beforeEach(() => {
  attemptCounts = [];
  finishRuns = [];
  rejections = [];
});
afterAll(async () => {
  await service?.close();
  redis.disconnect();
});

/** A tenant with a running job. */
async function aRunningJob() {
  const api = service.as();
  const effects = async () => (await api.listAgents({ query: { kind: 'caller' } })).data[0].version - 1;
  await effects();
  const sql = (text: string) => service.sqlWithin(api.caller, text);
  await sql(`INSERT INTO platform.job (name, payload, due_at) VALUES ('probe', '{}', now())`);
  await until('it runs', () => finishRuns.length === 1);
  return { effects, sql };
}

describe('a job', () => {
  it('takes effect once, even when a run that counted as lost finishes', async () => {
    const { effects, sql } = await aRunningJob();
    await sql(`UPDATE platform.job SET lease_until = now() - interval '1 s'`);
    await until('it runs again', () => finishRuns.length === 2);
    // A lost run counts as an attempt, otherwise a job that crashes its process would be retried forever.
    expect(attemptCounts).toEqual([0, 1]);
    finishRuns[0]?.();
    await until('the first run is rejected', () => rejections.length === 1);
    expect([await effects(), (await sql('SELECT state FROM platform.job')).length]).toEqual([0, 1]);
    finishRuns[1]?.();
    await until('it is done', async () => (await sql('SELECT id FROM platform.job')).length === 0);
    expect([await effects(), rejections.length]).toEqual([1, 1]);
  });

  it('is queued once, however long it waits', async () => {
    const { sql } = await aRunningJob();
    const more = (jobs: number) =>
      sql(
        `INSERT INTO platform.job (name, payload, due_at) SELECT 'probe', '{}', now() FROM generate_series(1, ${jobs})`,
      );
    const waiting = () => redis.llen(`{${namespace}}:agents:wait`);
    await more(24);
    await until('all slots are taken', async () => finishRuns.length === 20 && (await waiting()) === 5);
    await sql(`UPDATE platform.job SET queued_at = now() - interval '31 s' WHERE state = 'queued'`);
    const lost = `SELECT id FROM platform.job WHERE state = 'queued' AND queued_at < now() - interval '30 s'`;
    await until('they were taken for lost', async () => !(await sql(lost)).length);
    // A job added later is queued behind them.
    await more(1);
    await until('one more waits', async () => (await waiting()) > 5);
    expect(await waiting()).toBe(6);
    await until('all are done', async () => {
      for (const end of finishRuns.splice(0)) end();
      return !(await sql('SELECT id FROM platform.job')).length;
    });
    expect(attemptCounts).toEqual(Array(26).fill(0));
  });

  it('that fails is retried later, and its row has the error', async () => {
    const { effects, sql } = await aRunningJob();
    finishRuns[0]?.(new Error('The line is down'));
    const row = async () => (await sql('SELECT state, attempts, error FROM platform.job'))[0];
    await until('it waits', async () => (await row())?.['state'] === 'waiting');
    expect(await row()).toEqual({ state: 'waiting', attempts: 1, error: 'The line is down' });
    await sql('UPDATE platform.job SET due_at = now()');
    await until('it runs again', () => finishRuns.length === 2);
    finishRuns[1]?.();
    await until('it is done', async () => (await row()) === undefined);
    expect([attemptCounts, await effects()]).toEqual([[0, 1], 1]);
  });

  it('is given up after its tenth attempt, and its row stays', async () => {
    const { sql } = await aRunningJob();
    await sql('UPDATE platform.job SET attempts = 10');
    const row = async () => (await sql('SELECT state, error FROM platform.job'))[0];
    await sql(`UPDATE platform.job SET lease_until = now() - interval '1 s'`);
    await until('it is dead', async () => (await row())?.['state'] === 'dead');
    expect([await row(), attemptCounts]).toEqual([{ state: 'dead', error: 'The last run did not finish' }, [0]]);
    finishRuns[0]?.();
  });

  it('renews its lease while it runs', async () => {
    const { effects, sql } = await aRunningJob();
    const lease = async () => String((await sql('SELECT lease_until::text AS until FROM platform.job'))[0]?.['until']);
    const first = await lease();
    await until('the lease is longer', async () => (await lease()) > first);
    finishRuns[0]?.();
    await until('it is done', async () => (await sql('SELECT id FROM platform.job')).length === 0);
    expect([attemptCounts, await effects()]).toEqual([[0], 1]);
  });

  it('whose payload only another release can read waits a day for it, without an attempt', async () => {
    const { sql } = await aRunningJob();
    finishRuns[0]?.();
    await until('it is done', async () => (await sql('SELECT id FROM platform.job')).length === 0);
    await sql(`INSERT INTO platform.job (name, payload, due_at) VALUES ('probe', '{"form":"new"}', now())`);
    const row = async () =>
      (
        await sql('SELECT state, attempts, due_at > now() AS "isLater", error IS NULL AS "isFine" FROM platform.job')
      )[0];
    await until('it waits', async () => (await row())?.['isLater'] === true);
    expect(await row()).toEqual({ state: 'waiting', attempts: 0, isLater: true, isFine: true });
    await sql(`UPDATE platform.job SET due_at = now(), created_at = now() - interval '25 hours'`);
    await until('it has failed', async () => (await row())?.['isFine'] === false);
    expect(await row()).toMatchObject({ state: 'waiting', attempts: 1 });
    await sql('DELETE FROM platform.job');
  });

  it('of a kind that only another release knows is returned for it', async () => {
    const { sql } = await aRunningJob();
    const [other] = await sql(
      `INSERT INTO platform.job (name, payload, due_at, state, queued_at) VALUES ('of a new release', '{}', now(), 'queued', now())
       RETURNING id, tenant_id AS "tenantId", environment`,
    );
    const queue = new Queue('agents', {
      connection: { url: process.env['TEST_REDIS_URL'] as string },
      prefix: `{${namespace}}`,
    });
    const { id, ...scope } = other as { id: number; tenantId: number; environment: string };
    await queue.add('of a new release', { ids: [Number(id)], scope });
    await queue.close();
    const state = async () => (await sql(`SELECT state FROM platform.job WHERE id = ${id}`))[0]?.['state'];
    await until('it waits', async () => (await state()) === 'waiting');
    finishRuns[0]?.();
  });

  it('whose last step fails too is dead after a few repetitions', async () => {
    const { sql } = await aRunningJob();
    finishRuns[0]?.();
    await sql(`INSERT INTO platform.job (name, payload, due_at, attempts) VALUES ('hopeless', '{}', now(), 10)`);
    const row = async () => (await sql(`SELECT state, attempts FROM platform.job WHERE name = 'hopeless'`))[0];
    for (const tried of [1, 2]) {
      await until('it was given up in vain', () => giveUps === tried);
      await sql(`UPDATE platform.job SET lease_until = now() - interval '1 s' WHERE name = 'hopeless'`);
    }
    await until('it is dead', async () => (await row())?.['state'] === 'dead');
    expect(giveUps).toBe(2);
  });
});
