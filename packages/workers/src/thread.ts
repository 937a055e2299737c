import { Worker } from 'node:worker_threads';
import { ShareTimeoutError } from '@tandem/process';
import type { Order, Report } from './serve.ts';

/** A task exceeded its CPU time or memory. Its thread has ended. */
export class TaskTooLongError extends Error {}

export interface ThreadLimits {
  /** CPU time of one task, in milliseconds. */
  cpuMs: number;
  /** Elapsed time of one task. More than `cpuMs`, because other processes may keep the CPU busy. */
  elapsedMs: number;
  /** Time limit for the start of a thread. */
  startMs: number;
  /** JavaScript heap, in megabytes. */
  heapMb: number;
}

/** A worker thread that runs one task at a time. */
export interface Thread {
  /**
   * @throws TaskTooLongError when the task exceeds its CPU time or memory
   * @throws ShareTimeoutError when the machine is too busy to run it in time
   */
  run(order: Order): Promise<unknown>;
  /** Whether it can run another task. */
  isAlive(): boolean;
  end(): Promise<void>;
}

// Minimum delay of the next check, because timers can fire slightly early.
const recheckMs = 5;

// At its memory limit, Node ends a thread and allows it 16 MB more until then. One collection can move the whole young
// generation, 48 MB by default, across that, and V8 then ends the process.
const youngMb = 12;

/** Starts a thread from a module that calls `serveTasks`. Neither the thread nor its timers keep the process alive. */
export function startThread(file: URL, limits: ThreadLimits): Thread {
  const worker = new Worker(file, {
    // A thread that processes customer input needs no secrets from the environment.
    env: {},
    // Libraries print the input they complain about, which must not reach the log.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: youngMb },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  worker.unref();

  let isAlive = true;
  let settle: { resolve(report: Report): void; reject(error: Error): void } | undefined;
  const end = async (reason: Error) => {
    isAlive = false;
    settle?.reject(reason);
    await worker.terminate();
  };
  worker.on('message', (report: Report) => settle?.resolve(report));
  worker.on('error', (error: Error & { code?: string }) => {
    const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    void end(isMemory ? new TaskTooLongError('The task exceeded the memory limit') : error);
  });
  worker.on('exit', () => void end(new Error('The worker thread exited')));

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
  started.catch(() => {});

  const cpuMs = async () => {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1_000;
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
        () => void end(new ShareTimeoutError('The task did not run in time: the machine is too busy')),
        limits.elapsedMs,
      ).unref();
      let isOver = false;
      let timer: NodeJS.Timeout | undefined;
      try {
        // A thread that ends meanwhile may never tell its CPU time, but its end settles the report.
        const before = await Promise.race([cpuMs(), report.then(() => 0)]).catch(() => 0);
        worker.postMessage(order);
        const lookIn = (ms: number) => setTimeout(() => void look().catch(() => {}), Math.max(recheckMs, ms)).unref();
        const look = async () => {
          const used = (await cpuMs()) - before;
          // The task may end while its CPU time is read, and the thread may already run the next one.
          if (isOver) return;
          if (used >= limits.cpuMs)
            return end(new TaskTooLongError(`The task exceeded its time limit: ${Math.round(used)} ms`));
          timer = lookIn(limits.cpuMs - used);
        };
        timer = lookIn(limits.cpuMs);
        const outcome = await report;
        if ('error' in outcome) throw new Error(outcome.error);
        return 'result' in outcome ? outcome.result : undefined;
      } finally {
        isOver = true;
        clearTimeout(timer);
        clearTimeout(deadline);
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
