import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from './command-error.ts';
import { bootId, processState } from './proc.ts';
import { endLeftovers, isAlive } from './records.ts';

// Enough for new stores and a day of work.
const freeBytesMin = 300 * 1024 * 1024;

/** The process that uses a data folder. */
export interface Holder {
  pid: number;
  startTime: number;
  bootId: string;
}

/** The exclusive use of a data folder, until `release` or the end of this process. */
export interface Claim {
  /** Names of processes of an earlier holder that were still running and have been stopped. */
  ended: string[];
  release(): void;
}

/** The live process that holds a data folder. */
export function holderOf(dir: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(holderFile(dir), 'utf8')) as Holder;
    return isAlive(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Claims a data folder for this process; undefined if another process holds it. Processes left by a killed holder are
 * stopped first.
 */
export async function claimFolder(dir: string): Promise<Claim | undefined> {
  // Executable but not readable for others: PostgreSQL may run as another account and must reach its data.
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

/** Creates the file atomically by a link, so that another process never reads half of it. */
function takeHolderFile(dir: string): boolean {
  const file = holderFile(dir);
  const draft = `${file}.${process.pid}`;
  const startTime = processState(process.pid)?.startTime;
  writeFileSync(draft, JSON.stringify({ pid: process.pid, startTime, bootId: bootId() }));
  try {
    while (!tryLink(draft, file)) {
      if (holderOf(dir)) return false;
      setAside(file, `${draft}.old`);
    }
    return true;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Two processes may find the same dead holder: the slower one must not remove the file of the faster one. */
function setAside(file: string, aside: string): void {
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  try {
    if (isAlive(JSON.parse(readFileSync(aside, 'utf8')) as Holder)) tryLink(aside, file);
  } catch {
    // The file is unreadable, so it belongs to no live process.
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
  if (bavail * bsize >= freeBytesMin) return;
  const free = Math.floor((bavail * bsize) / 1024 / 1024);
  throw new CommandError(
    `The disk of ${dir} has only ${free} MB of free space, but the stores need ${freeBytesMin / 1024 / 1024} MB: free up space and start again.`,
  );
}

function holderFile(dir: string): string {
  return join(dir, 'run/holder.json');
}
