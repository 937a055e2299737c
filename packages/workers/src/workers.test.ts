import { ShareTimeout } from '@tandem/process';
import { longestTurn, until } from '@tandem/testing';
import { createWorkers, TaskTooLong, type WorkerLimits, type Workers } from './index.ts';
import type { SlowTasks } from './slow.thread.ts';

const open: Workers<SlowTasks>[] = [];
const someWorkers = (limits: Partial<WorkerLimits> = {}) => {
  const workers = createWorkers<SlowTasks>(new URL('./slow.thread.ts', import.meta.url), {
    ...{ cpuMs: 100, elapsedMs: 20_000, waitMs: 20_000 },
    ...limits,
  });
  open.push(workers);
  return workers;
};
afterEach(() => Promise.all(open.splice(0).map((workers) => workers.close())));

const forever = 1e9;

describe('a task', () => {
  it('runs in a thread, which runs the next one too', async () => {
    const workers = someWorkers();
    expect(await workers.run('double', 21, 1)).toBe(42);
    expect((await workers.run('count', null, 1)).runs).toBe(1);
    expect((await workers.run('count', null, 2)).runs).toBe(2);
  });

  it('that fails fails alone', async () => {
    const workers = someWorkers();
    await expect(workers.run('fail', 'broken', 1)).rejects.toThrow('broken');
    expect((await workers.run('count', null, 1)).runs).toBe(1);
  });

  it('that takes too much processor time ends with its thread, and the next one gets another thread', async () => {
    const workers = someWorkers({ threads: 1 });
    expect((await workers.run('count', null, 1)).runs).toBe(1);
    await expect(workers.run('spin', forever, 1)).rejects.toThrow(TaskTooLong);
    expect((await workers.run('count', null, 1)).runs).toBe(1);
  });

  it('that ends just below the limit does not pass its time on to the next tasks of its thread', async () => {
    const workers = someWorkers({ threads: 1, cpuMs: 40 });
    await workers.run('double', 1, 1);
    for (let round = 0; round < 40; round++) {
      await workers.run('spin', 30 + (round % 10), 1).catch(() => {});
      for (let task = 0; task < 60; task++) await workers.run('spin', 1, 2);
    }
  });

  it('that takes too much memory ends with its thread', async () => {
    const workers = someWorkers({ cpuMs: 60_000, heapMb: 16 });
    await expect(workers.run('fill', null, 1)).rejects.toThrow(TaskTooLong);
    expect(await workers.run('double', 1, 1)).toBe(2);
  });

  it('that gets too little of the processor is not told to be too long', async () => {
    const workers = someWorkers({ cpuMs: 60_000, elapsedMs: 50 });
    await workers.run('double', 1, 1);
    await expect(workers.run('spin', forever, 1)).rejects.toThrow(ShareTimeout);
  });

  it('does not hold the event loop', async () => {
    const workers = someWorkers({ cpuMs: 500 });
    await workers.run('double', 1, 1);
    expect(await longestTurn(() => workers.run('spin', 300, 1))).toBeLessThan(50);
  });

  it('does not see the environment', async () => {
    process.env.NOT_FOR_THREADS = 'secret';
    expect((await someWorkers().run('count', null, 1)).secrets).toEqual([]);
  });

  it('whose thread does not start in time is refused for now', async () => {
    const workers = someWorkers({ startMs: 1 });
    await expect(workers.run('double', 1, 1)).rejects.toThrow(ShareTimeout);
  });
});

describe('a tenant', () => {
  it('has one thread at most: the task of another runs while theirs wait', async () => {
    const workers = someWorkers({ cpuMs: 60_000 });
    const ended: string[] = [];
    const slow = [1, 2, 3].map((n) => workers.run('spin', 400, 1).then(() => ended.push(`slow ${n}`)));
    await workers.run('double', 1, 2).then(() => ended.push('other'));
    expect(ended).toEqual(['other']);
    await Promise.all(slow);
  });

  it('is refused when more of its tasks wait than may; others are not', async () => {
    const workers = someWorkers({ cpuMs: 60_000, waitingOfTenant: 1 });
    const accepted = [workers.run('spin', 200, 1), workers.run('spin', 1, 1)];
    await expect(workers.run('spin', 1, 1)).rejects.toThrow(ShareTimeout);
    expect(await workers.run('double', 1, 2)).toBe(2);
    expect(await Promise.all(accepted)).toEqual([200, 1]);
  });

  it('is refused when the threads stay busy for too long', async () => {
    const workers = someWorkers({ threads: 1, cpuMs: 60_000, waitMs: 20 });
    await workers.run('double', 1, 1);
    const first = workers.run('spin', 500, 1);
    await expect(workers.run('double', 1, 2)).rejects.toThrow(ShareTimeout);
    expect(await first).toBe(500);
  });
});

describe('a thread', () => {
  it('ends when it has had no task for a while', async () => {
    const workers = someWorkers({ idleMs: 10 });
    await workers.run('count', null, 1);
    await until('a new thread counts from the start', async () => (await workers.run('count', null, 1)).runs === 1);
  });
});
