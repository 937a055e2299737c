import { createShares, outgoingGuard } from '@tandem/process';
import type { Tasks } from './serve.ts';
import { startThread, type Thread, type ThreadLimits } from './thread.ts';

export interface WorkerLimits extends ThreadLimits {
  /** How many threads run at once. A tenant has one of them at most. */
  threads: number;
  /** How many tasks of one tenant wait; the next one is refused. */
  waitingOfTenant: number;
  /** How many tasks wait for a thread, of all tenants together. */
  waiting: number;
  /** How long a task waits before it is refused. */
  waitMs: number;
  /** How long a thread without a task is kept. */
  idleMs: number;
}

const defaults = {
  ...{ threads: 2, waitingOfTenant: 50, waiting: 200, waitMs: 5_000, idleMs: 30_000 },
  ...{ elapsedMs: 10_000, startMs: 10_000, heapMb: 64 },
} satisfies Partial<WorkerLimits>;

/** The tasks of a module in threads of their own. */
export interface Workers<Of extends Tasks> {
  /**
   * Runs a task in a thread. Other tenants' tasks go on meanwhile.
   * @throws TaskTooLong when the input makes the task take too much processor time or memory
   * @throws ShareTimeout when too much is waiting, or the machine is too busy; a repetition may succeed
   */
  run<Name extends keyof Of & string>(
    name: Name,
    input: Parameters<Of[Name]>[0],
    tenantId: number | undefined,
  ): Promise<ReturnType<Of[Name]>>;
  /** Ends the threads, with what runs in them. */
  close(): Promise<void>;
}

/**
 * Makes threads for the tasks of a module. They start with the first task, and end when they have had none for a while.
 * @param file the module; it calls `serveTasks`
 */
export function createWorkers<Of extends Tasks>(
  file: URL,
  given: Partial<WorkerLimits> & Pick<WorkerLimits, 'cpuMs'>,
): Workers<Of> {
  const limits: WorkerLimits = { ...defaults, ...given };
  const { threads, waitingOfTenant, waiting, waitMs, idleMs } = limits;
  const ofTenants = createShares<number>(1, waitMs, waitingOfTenant);
  const ofThreads = createShares<'thread'>(threads, waitMs, waiting);
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
  const giveBack = (thread: Thread) => {
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
      const leaveTenant = await ofTenants.enter(tenantId);
      try {
        const leaveThread = await ofThreads.enter('thread');
        const thread = take();
        try {
          return (await thread.run({ name, input })) as never;
        } finally {
          giveBack(thread);
          leaveThread();
        }
      } finally {
        leaveTenant();
      }
    },
    async close() {
      for (const { timer } of idle.splice(0)) clearTimeout(timer);
      await Promise.all([...alive].map((thread) => thread.end()));
    },
  };
}
