import { ShareTimeoutError } from '@tandem/process';
import { type Host, TaskStuckError, TaskTooLongError } from './host.ts';
import { processHost } from './process-host.ts';
import type { Order, Report } from './serve.ts';
import { threadHost } from './thread-host.ts';

export interface ThreadLimits {
  /** CPU time of one task, in milliseconds. */
  cpuMs: number;
  /** Elapsed time of one task. More than `cpuMs`, because other processes may keep the CPU busy. */
  elapsedMs: number;
  /** Time limit for the start of a thread. */
  startMs: number;
  /** JavaScript heap, in megabytes. */
  heapMb: number;
  /** Runs the tasks in processes instead of threads, with this limit of their whole memory, in megabytes. */
  memoryMb?: number;
}

/** A worker thread, or a process in its place, that runs one task at a time. */
export interface Thread {
  /**
   * @throws TaskTooLongError when the task exceeds its CPU time or memory
   * @throws TaskStuckError when it has not finished in its elapsed time
   * @throws ShareTimeoutError when the thread did not start in time
   */
  run(order: Order): Promise<unknown>;
  /** Whether it can run another task. */
  isAlive(): boolean;
  end(): Promise<void>;
}

// Minimum delay of the next check, because timers can fire slightly early.
const recheckMs = 5;
// Memory can grow by about a gigabyte per second, so a process exceeds its limit by some 25 MB.
const memoryCheckMs = 25;

/** Starts a thread from a module that calls `serveTasks`. Neither the thread nor its timers keep the process alive. */
export function startThread(file: URL, limits: ThreadLimits): Thread {
  const { memoryMb, heapMb } = limits;
  const host: Host = memoryMb === undefined ? threadHost(file, limits) : processHost(file, { heapMb, memoryMb });

  let isAlive = true;
  let isStarted = false;
  let settle: { resolve(report: Report): void; reject(error: Error): void } | undefined;
  const end = async (reason: Error) => {
    isAlive = false;
    settle?.reject(reason);
    await host.terminate();
  };
  host.onReport((report) => settle?.resolve(report));
  // A thread that exceeds a limit before it is ready says nothing about the task that waits for it.
  host.onEnd(
    (reason) => void end(isStarted ? reason : new Error(`The worker thread did not start: ${reason.message}`)),
  );

  const next = () =>
    new Promise<Report>((resolve, reject) => {
      settle = { resolve, reject };
    }).finally(() => {
      settle = undefined;
    });
  const started = within(next(), limits.startMs, () =>
    end(new ShareTimeoutError('The worker thread did not start in time')),
  );
  // The first task rejects with this error; until then it must not count as an unhandled rejection.
  started.then(
    () => {
      isStarted = true;
    },
    () => {},
  );

  const endAtMemory = () => {
    const used = host.memoryMb?.() ?? 0;
    if (memoryMb !== undefined && used > memoryMb)
      void end(new TaskTooLongError(`The task exceeded the memory limit: ${Math.round(used)} MB`));
  };

  return {
    isAlive: () => isAlive,
    end: () => end(new Error('The worker thread was terminated')),
    async run(order) {
      await started;
      if (!isAlive) throw new ShareTimeoutError('The worker thread exited before the task finished');
      // Created before any await, so that a thread that ends meanwhile settles the report.
      const report = next();
      report.catch(() => {});
      const deadline = setTimeout(
        () => void end(new TaskStuckError('The task did not finish in its elapsed time')),
        limits.elapsedMs,
      ).unref();
      const memoryWatch = host.memoryMb && setInterval(endAtMemory, memoryCheckMs).unref();
      let isOver = false;
      let timer: NodeJS.Timeout | undefined;
      try {
        // A thread that ends meanwhile may never tell its CPU time, but its end settles the report.
        const before = await Promise.race([host.cpuMs(), report.then(() => 0)]).catch(() => 0);
        host.send(order);
        const lookIn = (ms: number) => setTimeout(() => void look().catch(() => {}), Math.max(recheckMs, ms)).unref();
        const look = async () => {
          const used = (await host.cpuMs()) - before;
          // The task may end while its CPU time is read, and the thread may already run the next one.
          if (isOver) return;
          if (used >= limits.cpuMs)
            return end(new TaskTooLongError(`The task exceeded its time limit: ${Math.round(used)} ms`));
          timer = lookIn(limits.cpuMs - used);
        };
        timer = lookIn(limits.cpuMs);
        const outcome = await report;
        if (host.isSpent?.()) await end(new Error('The worker process is replaced'));
        if ('error' in outcome) throw new Error(outcome.error);
        return 'result' in outcome ? outcome.result : undefined;
      } finally {
        isOver = true;
        clearTimeout(timer);
        clearTimeout(deadline);
        clearInterval(memoryWatch);
      }
    },
  };
}

async function within<T>(promise: Promise<T>, ms: number, late: () => void): Promise<T> {
  const timer = setTimeout(late, ms).unref();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
