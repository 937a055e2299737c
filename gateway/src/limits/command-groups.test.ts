import { createLog } from '@tandem/process';
import { until } from '@tandem/testing';
import { createCommandGroups } from './command-groups.ts';
import { type GuardedRedis, guardRedis } from './redis.ts';

let redis: GuardedRedis;
let groups: number;
beforeEach(async () => {
  redis = guardRedis(process.env.TEST_REDIS_URL as string, createLog('test'), 10_000);
  await until('it is connected', () => redis.redis.status === 'ready');
  groups = 0;
});
afterEach(() => redis.close());

/** Groups whose number is counted; each command counts `calls` calls. */
function someGroups() {
  const send = createCommandGroups({
    ...redis,
    run(command) {
      groups += 1;
      return redis.run(command);
    },
  });
  const echo = (text: string, calls = 1) =>
    send((pipeline) => {
      pipeline.echo(text);
      return calls;
    });
  return { send, echo };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('commands', () => {
  it('of one moment leave together, and each gets its own answer', async () => {
    const { echo } = someGroups();
    const texts = Array.from({ length: 100 }, (_, index) => `text ${index}`);
    expect(await Promise.all(texts.map((text) => echo(text)))).toEqual(texts);
    expect(groups).toBe(1);
  });

  it('that keep coming one by one leave in far fewer groups', async () => {
    const { echo } = someGroups();
    const answers: Promise<unknown>[] = [];
    const end = performance.now() + 200;
    while (performance.now() < end) {
      answers.push(echo('x'));
      const next = performance.now() + 0.5;
      while (performance.now() < next) await turn();
    }
    await Promise.all(answers);
    expect(groups).toBeLessThan(answers.length / 2);
  });

  it('of a client that sends one after the other mostly do not wait', async () => {
    const { echo } = someGroups();
    const times: number[] = [];
    for (let call = 0; call < 200; call++) {
      const began = performance.now();
      await echo('x');
      times.push(performance.now() - began);
    }
    // A wait takes 2 ms at least; a busy machine may slow some of the others as well.
    expect(times.filter((ms) => ms < 2).length).toBeGreaterThan(100);
  });

  it('fail alone when Redis refuses one of a group', async () => {
    const { send, echo } = someGroups();
    const wrong = send((pipeline) => {
      pipeline.call('NONSENSE');
      return 1;
    });
    const [refused, answered] = await Promise.allSettled([wrong, echo('x')]);
    expect([refused.status, answered]).toEqual(['rejected', { status: 'fulfilled', value: 'x' }]);
    expect(redis.available()).toBe(true);
  });
});

it('a Redis that refuses whole groups counts as away, and is back when it takes writes', async () => {
  const { send } = someGroups();
  for (let call = 0; call < 5; call++)
    await expect(
      send((pipeline) => {
        pipeline.call('NONSENSE');
        return 1;
      }),
    ).rejects.toThrow('unknown command');
  expect(redis.available()).toBe(false);
  await until('it is back', () => redis.available());
});
