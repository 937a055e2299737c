import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What Linux tells about a process. */
export interface ProcessState {
  pid: number;
  group: number;
  session: number;
  /** In clock ticks since the machine started. */
  startTime: number;
  isZombie: boolean;
}

/** Tells this boot of the machine from every other: process numbers and start times repeat after a restart. */
export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** The state of a process; undefined when there is none with this number. */
export function processState(pid: number): ProcessState | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in brackets and may hold anything, brackets and blanks too: the fields begin behind the last one.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const field = (place: number) => Number(fields[place - 3]);
    return { pid, group: field(5), session: field(6), startTime: field(22), isZombie: fields[0] === 'Z' };
  } catch {
    return undefined;
  }
}

/** The processes of a session; a process started `detached` leads one that bears its number. */
export function sessionMembers(session: number): ProcessState[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => processState(Number(name)))
    .filter((state) => state !== undefined)
    .filter((state) => state.session === session && !state.isZombie);
}

/** Whether a process was started with this variable; false when we may not look. */
export function hasVariable(pid: number, name: string, value: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${name}=${value}`);
  } catch {
    return false;
  }
}

/** The folder a process works in; undefined when it is gone or not ours to ask. */
export function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
