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
  fail: (text: string) => {
    throw new Error(text);
  },
};

export type SlowTasks = typeof tasks;

serveTasks(tasks);
