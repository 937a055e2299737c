import { Worker } from 'node:worker_threads';
import { type Host, TaskTooLongError } from './host.ts';
import type { Order } from './serve.ts';

// At its memory limit, Node ends a thread and allows it 16 MB more until then. One collection can move the whole young
// generation, 48 MB by default, across that, and V8 then ends the process.
const youngMb = 12;

/** Starts a thread from a module that calls `serveTasks`. It does not keep the process alive. */
export function threadHost(file: URL, { heapMb }: { heapMb: number }): Host {
  const worker = new Worker(file, {
    // A thread that processes customer input needs no secrets from the environment.
    env: {},
    // Libraries print the input they complain about, which must not reach the log.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  worker.unref();
  return {
    send: (order: Order) => worker.postMessage(order),
    onReport: (listener) => void worker.on('message', listener),
    onEnd(listener) {
      worker.on('error', (error: Error & { code?: string }) => {
        const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        listener(isMemory ? new TaskTooLongError('The task exceeded the memory limit') : error);
      });
      worker.on('exit', () => listener(new Error('The worker thread exited')));
    },
    async cpuMs() {
      const { user, system } = await worker.cpuUsage();
      return (user + system) / 1_000;
    },
    async terminate() {
      await worker.terminate();
    },
  };
}
