// Tasks for the tests of this package.
import { serveTasks } from './serve.ts';

let runs = 0;
const kept: unknown[] = [];

const tasks = {
  double: (value: number) => value * 2,
  /** How many tasks this thread has run, and which environment variables it sees. */
  count: (_: null) => ({ runs: ++runs, secrets: Object.keys(process.env) }),
  spin: (ms: number) => {
    const { user, system } = process.threadCpuUsage();
    for (;;) {
      const { user: u, system: s } = process.threadCpuUsage({ user, system });
      if (u + s >= ms * 1_000) return ms;
    }
  },
  fill: (_: null) => {
    for (;;) kept.push(Array.from({ length: 1_000 }, (_, index) => ({ index })));
  },
  /** Takes memory outside of the JavaScript heap. */
  allocate: async (mb: number) => {
    for (let taken = 0; taken < mb; taken += 16) {
      kept.push(new Uint8Array(16 * 1_024 * 1_024).fill(1));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return process.pid;
  },
  crash: (_: null) => process.kill(process.pid, 'SIGSEGV'),
  /** Waits for something that does not come, without using the CPU. */
  hang: (_: null) => new Promise<void>((resolve) => setTimeout(resolve, 2 ** 31 - 1)),
  later: async (value: number) => value,
  fail: (text: string) => {
    throw new Error(text);
  },
};

export type SlowTasks = typeof tasks;

serveTasks(tasks);
