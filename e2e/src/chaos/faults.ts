import { readdirSync, readFileSync } from 'node:fs';

/** A process or a store to inject a fault into. */
export interface Target {
  name: string;
  pid(): number;
}

/** Sends SIGKILL to the main process; its supervisor restarts it. */
export function kill(target: Target): void {
  process.kill(target.pid(), 'SIGKILL');
}

/** Freezes a target with all its children; returns a function that resumes it. */
export function freeze(target: Target): () => void {
  const pids = withChildren(target.pid());
  for (const pid of pids) signal(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) signal(pid, 'SIGCONT');
  };
}

/** A process and its children, such as PostgreSQL backends. */
function withChildren(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number);
  return [pid, ...children];
}

function parentOf(pid: string): number | undefined {
  try {
    // "pid (name) state parent …": the name may contain any character, so parsing starts after the last parenthesis.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has exited.
  }
}
