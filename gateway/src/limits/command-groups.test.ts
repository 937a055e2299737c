import { createLog } from '@tandem/process';
import { until } from '@tandem/testing';
import { createCommandGroups } from './command-groups.ts';
import { type GuardedRedis, guardRedis } from './redis.ts';

let redis: GuardedRedis;
let groups: number;
beforeEach(async () => {
  redis = guardRedis(process.env.TEST_REDIS_URL as string, createLog('test'), 10_000);
  await until('Redis is connected', () => redis.redis.status === 'ready');
  groups = 0;
});
afterEach(() => redis.close());

/** Command groups that are counted in `groups`; each command counts `calls` calls. */
function countedGroups() {
  const send = createCommandGroups({
    ...redis,
    run(command) {
      groups += 1;
      return redis.run(command);
    },
  });
  const echo = (text: string, calls = 1) => send((client) => ({ reply: client.echo(text), calls }));
  return { send, echo };
}
const nonsense = (client: GuardedRedis['redis']) => ({ reply: client.call('NONSENSE'), calls: 1 });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('commands', () => {
  it('sent at the same time form one group, and each gets its own reply', async () => {
    const { echo } = countedGroups();
    const texts = Array.from({ length: 100 }, (_, index) => `text ${index}`);
    expect(await Promise.all(texts.map((text) => echo(text)))).toEqual(texts);
    expect(groups).toBe(1);
  });

  it('sent continuously one by one form at most one group in 2 ms', async () => {
    const { echo } = countedGroups();
    const replies: Promise<unknown>[] = [];
    const startedAt = performance.now();
    while (replies.length < 400) {
      replies.push(echo('x'));
      const next = performance.now() + 0.5;
      while (performance.now() < next) await turn();
    }
    const elapsedMs = performance.now() - startedAt;
    await Promise.all(replies);
    // The first command and the last group do not wait. A busy machine only sends fewer commands in the same time.
    expect(groups).toBeLessThanOrEqual(elapsedMs / 2 + 2);
  });

  it('of a sequential client are mostly sent without delay', async () => {
    const { echo } = countedGroups();
    let undelayed = 0;
    for (let call = 0; call < 200; call++) {
      const before = groups;
      const reply = echo('x');
      // A delayed group waits for a timer.
      await turn();
      if (groups > before) undelayed++;
      await reply;
    }
    expect(undelayed).toBeGreaterThan(100);
  });

  it('fail individually if Redis rejects one of a group', async () => {
    const { send, echo } = countedGroups();
    const wrong = send(nonsense);
    const [refused, echoed] = await Promise.allSettled([wrong, echo('x')]);
    expect([refused.status, echoed]).toEqual(['rejected', { status: 'fulfilled', value: 'x' }]);
    expect(redis.available()).toBe(true);
  });
});

it('Redis counts as unavailable if it rejects whole groups, until it accepts writes', async () => {
  const { send } = countedGroups();
  for (let call = 0; call < 5; call++) await expect(send(nonsense)).rejects.toThrow('unknown command');
  expect(redis.available()).toBe(false);
  await until('Redis is available', () => redis.available());
});
