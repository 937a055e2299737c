import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The state of a process from /proc. */
export interface ProcessState {
  pid: number;
  group: number;
  session: number;
  /** In clock ticks since the machine started. */
  startTime: number;
  isZombie: boolean;
}

/** Id of this boot: pids and start times repeat after a reboot. */
export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** The state of a process; undefined if there is none with this pid. */
export function processState(pid: number): ProcessState | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may contain any character: the other fields follow the last parenthesis.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const field = (number: number) => Number(fields[number - 3]);
    return { pid, group: field(5), session: field(6), startTime: field(22), isZombie: fields[0] === 'Z' };
  } catch {
    return undefined;
  }
}

/** The processes of a session; a process started with `detached` leads a session with its pid. */
export function sessionMembers(session: number): ProcessState[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => processState(Number(name)))
    .filter((state) => state !== undefined)
    .filter((state) => state.session === session && !state.isZombie);
}

/** Whether a process was started with this environment variable; false if it cannot be read. */
export function hasVariable(pid: number, name: string, value: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${name}=${value}`);
  } catch {
    return false;
  }
}

/** The working directory of a process; undefined if the process has exited or cannot be read. */
export function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
