import { readdirSync, readFileSync } from 'node:fs';

/** A process or a store that is hit, with all its processes. */
export interface Target {
  name: string;
  pid(): number;
}

/** kill -9 of the main process; its supervisor starts it again. */
export function kill(target: Target): void {
  process.kill(target.pid(), 'SIGKILL');
}

/** Stops a target with all its children, and returns what lets it go on. */
export function freeze(target: Target): () => void {
  const pids = familyOf(target.pid());
  for (const pid of pids) signal(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) signal(pid, 'SIGCONT');
  };
}

/** A process and its children: each connection of PostgreSQL is one. */
function familyOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number);
  return [pid, ...children];
}

function parentOf(pid: string): number | undefined {
  try {
    // "pid (name) state parent …"; the name may hold anything, so what counts begins behind its last bracket.
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
    // It ended meanwhile.
  }
}
