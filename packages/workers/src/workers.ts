import { createShares, outgoingGuard } from '@tandem/process';
import type { Tasks } from './serve.ts';
import { startThread, type Thread, type ThreadLimits } from './thread.ts';

export interface WorkerLimits extends ThreadLimits {
  /** How many threads run at once. A tenant has one of them at most. */
  threads: number;
  /** How many tasks of one tenant may wait; more are rejected. */
  waitingOfTenant: number;
  /** How many tasks may wait for a thread, over all tenants. */
  waiting: number;
  /** How long a task waits before it is rejected. */
  waitMs: number;
  /** How long an idle thread is kept. */
  idleMs: number;
}

const defaults = {
  threads: 2,
  waitingOfTenant: 50,
  waiting: 200,
  waitMs: 5_000,
  idleMs: 30_000,
  elapsedMs: 10_000,
  startMs: 10_000,
  heapMb: 64,
} satisfies Partial<WorkerLimits>;

/** A thread pool for the tasks of a module. */
export interface Workers<Of extends Tasks> {
  /**
   * Runs a task in a thread, concurrently with tasks of other tenants.
   * @throws TaskTooLongError when the input makes the task exceed its CPU time or memory
   * @throws ShareTimeoutError when too many tasks wait, or the machine is too busy; a retry may succeed. It is a
   * TaskStuckError if the task had begun: limit the number of retries then, because each holds a thread for `elapsedMs`.
   */
  run<Name extends keyof Of & string>(
    name: Name,
    input: Parameters<Of[Name]>[0],
    tenantId: number | undefined,
  ): Promise<Awaited<ReturnType<Of[Name]>>>;
  /** Terminates the threads and their running tasks. */
  close(): Promise<void>;
}

/**
 * Creates a thread pool for the tasks of a module. Threads start on demand and end after an idle period.
 * @param file the module; it calls `serveTasks`
 */
export function createWorkers<Of extends Tasks>(
  file: URL,
  overrides: Partial<WorkerLimits> & Pick<WorkerLimits, 'cpuMs'>,
): Workers<Of> {
  const limits: WorkerLimits = { ...defaults, ...overrides };
  const { threads, waitingOfTenant, waiting, waitMs, idleMs } = limits;
  const tenantShares = createShares<number>(1, waitMs, waitingOfTenant);
  const threadShares = createShares<'thread'>(threads, waitMs, waiting);
  const alive = new Set<Thread>();
  const idle: { thread: Thread; timer: NodeJS.Timeout }[] = [];

  const take = (): Thread => {
    for (let kept = idle.pop(); kept; kept = idle.pop()) {
      clearTimeout(kept.timer);
      if (kept.thread.isAlive()) return kept.thread;
      alive.delete(kept.thread);
    }
    const thread = startThread(file, limits);
    alive.add(thread);
    return thread;
  };
  const putBack = (thread: Thread) => {
    if (!thread.isAlive()) return void alive.delete(thread);
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((kept) => kept.thread === thread),
        1,
      );
      alive.delete(thread);
      void thread.end();
    }, idleMs).unref();
    idle.push({ thread, timer });
  };

  return {
    async run(name, input, tenantId) {
      outgoingGuard.assertMayCall('A worker thread');
      const releaseTenant = await tenantShares.enter(tenantId);
      try {
        const releaseThread = await threadShares.enter('thread');
        const thread = take();
        try {
          return (await thread.run({ name, input })) as never;
        } finally {
          putBack(thread);
          releaseThread();
        }
      } finally {
        releaseTenant();
      }
    },
    async close() {
      for (const { timer } of idle.splice(0)) clearTimeout(timer);
      await Promise.all([...alive].map((thread) => thread.end()));
    },
  };
}
