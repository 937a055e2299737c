import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ports } from '../ports.ts';
import type { ProcessSpec } from '../supervised.ts';

/** Where a store lives and how it reports. */
export interface StoreContext {
  /** The data folder of this set of stores; each store has a folder of its name in it. */
  dir: string;
  /** Where packages of the distribution are unpacked, for all sets of the project. */
  packagesDir: string;
  ports: Ports;
  /** False for tests, whose data nobody misses after a power cut. */
  isDurable: boolean;
  log: (line: string) => void;
}

/** A store that is prepared but does not run yet: its processes in the order they start, and where to reach it. */
export interface PreparedStore {
  url: string;
  /** RabbitMQ's management API. */
  managementUrl?: string;
  processes: ProcessSpec[];
}

/** The store's own folder, which only its owner may read. */
export function storeFolder(context: StoreContext, name: string): string {
  const folder = join(context.dir, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** A password made on first use. It lies beside the data it opens, so that deleting the folder deletes both. */
export function keptPassword(folder: string): string {
  const file = join(folder, 'password');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    const password = randomBytes(24).toString('hex');
    writeFileSync(file, `${password}\n`, { mode: 0o600 });
    return password;
  }
}

/** What a store's process gets of our environment: none of the user's settings may reach it. */
export function plainEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  // A locale that every machine has, and that can spell a path with any letter in it.
  return {
    PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/bin:/sbin:/bin`,
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    ...extra,
  };
}

/** A value between quotes as Redis and Erlang read it in their settings. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
