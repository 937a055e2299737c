import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from './command-error.ts';
import { bootId, processState } from './proc.ts';
import { endLeftovers, isAlive } from './records.ts';

// Enough for a fresh set of stores and a day's work.
const leastFreeBytes = 300 * 1024 * 1024;

/** Who works in a data folder. */
export interface Holder {
  pid: number;
  startTime: number;
  bootId: string;
}

/** The right to use a data folder, until `release` or the end of this process. */
export interface Claim {
  /** What an earlier holder had left running, and is ended now. */
  ended: string[];
  release(): void;
}

/** The living process that holds a data folder. */
export function holderOf(dir: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(holderFile(dir), 'utf8')) as Holder;
    return isAlive(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Takes a data folder for this process, or returns nothing when another one has it. What a killed holder left running
 * is ended first.
 */
export async function claimFolder(dir: string): Promise<Claim | undefined> {
  // Others may pass through, not look around: PostgreSQL may have to run as another account and reach its data.
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  mkdirSync(join(dir, 'run'), { recursive: true, mode: 0o700 });
  checkSpace(dir);
  if (!takeHolderFile(dir)) return undefined;
  const release = () => rmSync(holderFile(dir), { force: true });
  try {
    return { ended: await endLeftovers(join(dir, 'run')), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** The file appears whole (by a link), so another process never reads half of it. */
function takeHolderFile(dir: string): boolean {
  const file = holderFile(dir);
  const mine = `${file}.${process.pid}`;
  const startTime = processState(process.pid)?.startTime;
  writeFileSync(mine, JSON.stringify({ pid: process.pid, startTime, bootId: bootId() }));
  try {
    while (!tryLink(mine, file)) {
      if (holderOf(dir)) return false;
      setAside(file, `${mine}.old`);
    }
    return true;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Two processes may find the same dead holder: the slower one must not remove what the faster one put there. */
function setAside(file: string, aside: string): void {
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  try {
    if (isAlive(JSON.parse(readFileSync(aside, 'utf8')) as Holder)) tryLink(aside, file);
  } catch {
    // UnreadableError, so nobody's.
  }
  rmSync(aside, { force: true });
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function checkSpace(dir: string): void {
  const { bavail, bsize } = statfsSync(dir);
  if (bavail * bsize >= leastFreeBytes) return;
  const free = Math.floor((bavail * bsize) / 1024 / 1024);
  throw new CommandError(
    `Only ${free} MB are free on the disk of ${dir}, and the stores need ${leastFreeBytes / 1024 / 1024} MB: free some space and start again.`,
  );
}

function holderFile(dir: string): string {
  return join(dir, 'run/holder.json');
}
