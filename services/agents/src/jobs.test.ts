import type { agents } from '@tandem/agents-contract';
import { type JobContext, job } from '@tandem/jobs';
import { type TestService, testService, until } from '@tandem/testing';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { Tx } from './handler.ts';
import { agentsService } from './service.ts';
import { agentsSettings } from './settings.ts';

const own = agentsSettings.pick({ IDS_ALPHABET: true }).parse(process.env);

// A job whose runs end when the test says so, and whose effects can be counted.
const payload = z.object({});
let tried: number[] = [];
let ends: ((error?: Error) => void)[] = [];
let refused: Error[] = [];
const probe = job({
  name: 'probe',
  payload,
  async run({ attempts, finish }: JobContext<z.output<typeof payload>, Tx>) {
    tried.push(attempts);
    const error = await new Promise<Error | undefined>((resolve) => ends.push(resolve));
    if (error) throw error;
    await finish(async ({ tx }) => {
      await tx.agent.updateMany({ where: { kind: 'caller' }, data: { version: { increment: 1 } } });
    }).catch((error) => {
      refused.push(error);
      throw error;
    });
  },
});

let service: TestService<typeof agents>;
let namespace: string;
const redis = new Redis(process.env['TEST_REDIS_URL'] as string);
beforeAll(async () => {
  service = await testService('agents', (given) => {
    namespace = given.NAMESPACE;
    return {
      ...agentsService({ ...given, ...own, CRM_URL: 'http://127.0.0.1:1', IDENTITY_URL: 'http://127.0.0.1:1' }),
      jobs: [probe],
    };
  });
});
beforeEach(() => {
  tried = [];
  ends = [];
  refused = [];
});
afterAll(async () => {
  await service?.close();
  redis.disconnect();
});

/** A tenant whose job has begun to run. */
async function aRunningJob() {
  const api = service.as();
  const effects = async () => (await api.listAgents({ query: { kind: 'caller' } })).data[0].version - 1;
  await effects();
  const sql = (text: string) => service.sqlWithin(api.caller, text);
  await sql(`INSERT INTO platform.job (name, payload, due_at) VALUES ('probe', '{}', now())`);
  await until('it runs', () => ends.length === 1);
  return { effects, sql };
}

describe('a job', () => {
  it('has the effects of one run, also when one that was thought lost comes back', async () => {
    const { effects, sql } = await aRunningJob();
    await sql(`UPDATE platform.job SET lease_until = now() - interval '1 s'`);
    await until('it runs again', () => ends.length === 2);
    // A lost run was a try too: one that takes its process along would else do so for ever.
    expect(tried).toEqual([0, 1]);
    ends[0]?.();
    await until('the first run is refused', () => refused.length === 1);
    expect([await effects(), (await sql('SELECT state FROM platform.job')).length]).toEqual([0, 1]);
    ends[1]?.();
    await until('it is done', async () => (await sql('SELECT id FROM platform.job')).length === 0);
    expect([await effects(), refused.length]).toEqual([1, 1]);
  });

  it('that waits for its turn is queued once, however long it waits', async () => {
    const { sql } = await aRunningJob();
    const more = (jobs: number) =>
      sql(
        `INSERT INTO platform.job (name, payload, due_at) SELECT 'probe', '{}', now() FROM generate_series(1, ${jobs})`,
      );
    const waiting = () => redis.llen(`{${namespace}}:agents:wait`);
    await more(24);
    await until('all slots are taken', async () => ends.length === 20 && (await waiting()) === 5);
    await sql(`UPDATE platform.job SET queued_at = now() - interval '31 s' WHERE state = 'queued'`);
    const lost = `SELECT id FROM platform.job WHERE state = 'queued' AND queued_at < now() - interval '30 s'`;
    await until('they were taken for lost', async () => !(await sql(lost)).length);
    // What is put in later stands behind them.
    await more(1);
    await until('one more waits', async () => (await waiting()) > 5);
    expect(await waiting()).toBe(6);
    await until('all are done', async () => {
      for (const end of ends.splice(0)) end();
      return !(await sql('SELECT id FROM platform.job')).length;
    });
    expect(tried).toEqual(Array(26).fill(0));
  });

  it('that fails is tried again later, and its row says why', async () => {
    const { effects, sql } = await aRunningJob();
    ends[0]?.(new Error('The line is down'));
    const row = async () => (await sql('SELECT state, attempts, error FROM platform.job'))[0];
    await until('it waits', async () => (await row())?.['state'] === 'waiting');
    expect(await row()).toEqual({ state: 'waiting', attempts: 1, error: 'The line is down' });
    await sql('UPDATE platform.job SET due_at = now()');
    await until('it runs again', () => ends.length === 2);
    ends[1]?.();
    await until('it is done', async () => (await row()) === undefined);
    expect([tried, await effects()]).toEqual([[0, 1], 1]);
  });

  it('is given up after its tenth try, and its row stays', async () => {
    const { sql } = await aRunningJob();
    await sql('UPDATE platform.job SET attempts = 10');
    const row = async () => (await sql('SELECT state, error FROM platform.job'))[0];
    await sql(`UPDATE platform.job SET lease_until = now() - interval '1 s'`);
    await until('it is dead', async () => (await row())?.['state'] === 'dead');
    expect([await row(), tried]).toEqual([{ state: 'dead', error: 'The last run did not finish' }, [0]]);
    ends[0]?.();
  });
});
