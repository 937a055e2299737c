import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Host, TaskTooLongError } from './host.ts';
import type { Report } from './serve.ts';

// CPU time after which the system ends the process, also when this one has been killed and nobody watches it. A process
// is replaced at half of it.
const lifetimeCpuSeconds = 600;
// USER_HZ, in which Linux counts CPU time for every program.
const ticksPerSecond = 100;
const pageBytes = 4_096;
const mb = 1_024 * 1_024;
// Node aborts when its heap is full, and so does native code that gets no memory. SIGXCPU and SIGKILL come from `ulimit -t`;
// the system also sends SIGKILL when the machine is out of memory.
const limitSignals: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGXCPU', 'SIGKILL'];

/**
 * Starts a process from a module that calls `serveTasks`. Unlike a thread, it can be limited in memory outside of the
 * JavaScript heap, such as that of decompressed streams and pictures, and a crash in native code ends nothing else.
 * CPU time and memory are read from /proc; where there is none, only the elapsed time is limited.
 * @param limits.memoryMb resident memory; a process that keeps more than half of it after a task is replaced
 */
export function processHost(file: URL, { heapMb, memoryMb }: { heapMb: number; memoryMb: number }): Host {
  const node = [process.execPath, `--max-old-space-size=${heapMb}`, fileURLToPath(file)];
  const child = spawn('/bin/sh', ['-c', `ulimit -c 0; ulimit -t ${lifetimeCpuSeconds}; exec "$@"`, 'sh', ...node], {
    // A process that handles customer input needs no secrets from the environment, and prints parts of that input.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  child.unref();
  child.channel?.unref();
  const residentMb = () => Number(proc(child.pid, 'statm')?.split(' ')[1] ?? 0) * (pageBytes / mb);
  const usedMs = () => {
    // The fields after the name of the program, which may contain spaces: user and system time are the 14th and 15th.
    const fields =
      proc(child.pid, 'stat')
        ?.replace(/^.*\) /s, '')
        .split(' ') ?? [];
    return ((Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 1_000) / ticksPerSecond;
  };
  return {
    // A process that has ended reports it, so the error of the channel tells nothing new.
    send: (order) => void child.send(order, () => {}),
    onReport: (listener) => void child.on('message', (report) => listener(report as Report)),
    onEnd(listener) {
      child.on('error', listener);
      child.on('exit', (code, signal) => {
        const message = `The worker process exited: ${signal ?? code}`;
        listener(limitSignals.includes(signal) ? new TaskTooLongError(message) : new Error(message));
      });
    },
    cpuMs: async () => usedMs(),
    memoryMb: residentMb,
    isSpent: () => residentMb() > memoryMb / 2 || usedMs() > (lifetimeCpuSeconds * 1_000) / 2,
    async terminate() {
      child.kill('SIGKILL');
    },
  };
}

function proc(pid: number | undefined, file: 'stat' | 'statm'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // The process has ended, or the system has no /proc.
    return undefined;
  }
}
