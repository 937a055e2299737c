import { ShareTimeoutError } from '@tandem/process';
import { longestTurn, until } from '@tandem/testing';
import { createWorkers, TaskStuckError, TaskTooLongError, type WorkerLimits, type Workers } from './index.ts';
import type { SlowTasks } from './slow.thread.ts';

const open: Workers<SlowTasks>[] = [];
const someWorkers = (limits: Partial<WorkerLimits> = {}) => {
  const workers = createWorkers<SlowTasks>(new URL('./slow.thread.ts', import.meta.url), {
    cpuMs: 100,
    elapsedMs: 20_000,
    waitMs: 20_000,
    ...limits,
  });
  open.push(workers);
  return workers;
};
afterEach(() => Promise.all(open.splice(0).map((workers) => workers.close())));

const forever = 1e9;

describe('a task', () => {
  it('runs in a thread that is reused for the next task', async () => {
    const workers = someWorkers();
    expect(await workers.run('double', 21, 1)).toBe(42);
    expect((await workers.run('count', null, 1)).runs).toBe(1);
    expect((await workers.run('count', null, 2)).runs).toBe(2);
  });

  it('that throws does not affect the next task', async () => {
    const workers = someWorkers();
    await expect(workers.run('fail', 'broken', 1)).rejects.toThrow('broken');
    expect((await workers.run('count', null, 1)).runs).toBe(1);
  });

  it('that exceeds its CPU time ends with its thread, and the next task gets a new thread', async () => {
    const workers = someWorkers({ threads: 1 });
    expect((await workers.run('count', null, 1)).runs).toBe(1);
    await expect(workers.run('spin', forever, 1)).rejects.toThrow(TaskTooLongError);
    expect((await workers.run('count', null, 1)).runs).toBe(1);
  });

  it('that ends just below the limit does not carry its time over to the next tasks of its thread', async () => {
    const workers = someWorkers({ threads: 1, cpuMs: 40 });
    await workers.run('double', 1, 1);
    for (let round = 0; round < 40; round++) {
      await workers.run('spin', 30 + (round % 10), 1).catch(() => {});
      for (let task = 0; task < 60; task++) await workers.run('spin', 1, 2);
    }
  });

  it('that exceeds its memory ends with its thread', async () => {
    const workers = someWorkers({ cpuMs: 60_000, heapMb: 16 });
    await expect(workers.run('fill', null, 1)).rejects.toThrow(TaskTooLongError);
    expect(await workers.run('double', 1, 1)).toBe(2);
  });

  it('that gets too little CPU, or waits for nothing, is reported as stuck, which callers can tell from a busy pool', async () => {
    const workers = someWorkers({ cpuMs: 60_000, elapsedMs: 50, threads: 1 });
    for (const [name, input] of [['spin', forever] as const, ['hang', null] as const]) {
      await until('a thread has started', () => workers.run('double', 1, 1).catch(() => false));
      const error = await workers.run(name, input as never, 1).catch((reason: unknown) => reason);
      expect([error instanceof TaskStuckError, error instanceof TaskTooLongError]).toEqual([true, false]);
    }
  });

  it('does not block the event loop', async () => {
    const workers = someWorkers({ cpuMs: 500 });
    await workers.run('double', 1, 1);
    expect(await longestTurn(() => workers.run('spin', 300, 1))).toBeLessThan(50);
  });

  it('does not see the environment', async () => {
    process.env.NOT_FOR_THREADS = 'secret';
    expect((await someWorkers().run('count', null, 1)).secrets).toEqual([]);
    delete process.env.NOT_FOR_THREADS;
  });

  it('whose thread does not start in time is rejected as busy', async () => {
    const workers = someWorkers({ startMs: 1 });
    const error = await workers.run('double', 1, 1).catch((reason: unknown) => reason);
    expect([error instanceof ShareTimeoutError, error instanceof TaskStuckError]).toEqual([true, false]);
  });
});

describe('a process', () => {
  const someProcesses = (limits: Partial<WorkerLimits> = {}) => someWorkers({ cpuMs: 2_000, memoryMb: 400, ...limits });

  it('runs tasks without the environment, and is reused', async () => {
    process.env.NOT_FOR_THREADS = 'secret';
    const workers = someProcesses();
    expect([await workers.run('double', 21, 1), await workers.run('later', 7, 1)]).toEqual([42, 7]);
    const { runs, secrets } = await workers.run('count', null, 2);
    expect([runs, secrets.filter((name) => !/^(NODE_CHANNEL|PWD|OLDPWD|SHLVL|_$)/.test(name))]).toEqual([1, []]);
    delete process.env.NOT_FOR_THREADS;
  });

  it('ends when a task takes too much memory outside of the heap, too much CPU time, or crashes it', async () => {
    const workers = someProcesses({ threads: 1 });
    await expect(workers.run('allocate', 4_000, 1)).rejects.toThrow(TaskTooLongError);
    await expect(workers.run('spin', forever, 1)).rejects.toThrow(TaskTooLongError);
    await expect(workers.run('crash', null, 1)).rejects.toThrow('SIGSEGV');
    expect((await workers.run('count', null, 1)).runs).toBe(1);
  });

  it.each([{ heapMb: 32 }, { heapMb: 32, memoryMb: 2_000 }])(
    'that exhausts its JavaScript heap is reported as too long with %j',
    async (limits) => {
      const workers = someProcesses({ threads: 1, cpuMs: 60_000, ...limits });
      await expect(workers.run('fill', null, 1)).rejects.toThrow(TaskTooLongError);
      expect(await workers.run('double', 1, 1)).toBe(2);
    },
  );

  it('is replaced when it keeps more than half of its memory after a task', async () => {
    const workers = someProcesses({ threads: 1 });
    const first = await workers.run('allocate', 250, 1);
    expect(await workers.run('allocate', 16, 1)).not.toBe(first);
  });
});

describe('a tenant', () => {
  it('has one thread at most, so tasks of others run while its own wait', async () => {
    const workers = someWorkers({ cpuMs: 60_000 });
    const ended: string[] = [];
    const slow = [1, 2, 3].map((n) => workers.run('spin', 400, 1).then(() => ended.push(`slow ${n}`)));
    await workers.run('double', 1, 2).then(() => ended.push('other'));
    expect(ended).toEqual(['other']);
    await Promise.all(slow);
  });

  it('is rejected when too many of its tasks wait; others are not', async () => {
    const workers = someWorkers({ cpuMs: 60_000, waitingOfTenant: 1 });
    const accepted = [workers.run('spin', 200, 1), workers.run('spin', 1, 1)];
    await expect(workers.run('spin', 1, 1)).rejects.toThrow(ShareTimeoutError);
    expect(await workers.run('double', 1, 2)).toBe(2);
    expect(await Promise.all(accepted)).toEqual([200, 1]);
  });

  it('is rejected when the threads stay busy for too long', async () => {
    const workers = someWorkers({ threads: 1, cpuMs: 60_000, waitMs: 20 });
    await workers.run('double', 1, 1);
    const first = workers.run('spin', 500, 1);
    await expect(workers.run('double', 1, 2)).rejects.toThrow(ShareTimeoutError);
    expect(await first).toBe(500);
  });
});

describe('a thread', () => {
  it('ends after an idle period', async () => {
    const workers = someWorkers({ idleMs: 10 });
    await workers.run('count', null, 1);
    await until('a new thread counts from the start', async () => (await workers.run('count', null, 1)).runs === 1);
  });
});
