import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ports } from '../ports.ts';
import type { ProcessSpec } from '../supervised.ts';

/** The environment of a store. */
export interface StoreContext {
  /** The data folder of this set of stores; each store has a subfolder with its name. */
  dir: string;
  /** Folder for unpacked Debian packages, shared by all sets of stores of the project. */
  packagesDir: string;
  ports: Ports;
  /** False for tests, whose data may be lost on power loss. */
  isDurable: boolean;
  log: (line: string) => void;
}

/** A store that is not running yet: its URL, and its processes in start order. */
export interface PreparedStore {
  url: string;
  /** URL of RabbitMQ's management API. */
  managementUrl?: string;
  processes: ProcessSpec[];
}

/** Creates the store's folder, readable only by its owner. */
export function storeFolder(context: StoreContext, name: string): string {
  const folder = join(context.dir, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * The password of a store, generated on first use. It is stored next to the data, so that both are deleted together.
 */
export function loadPassword(folder: string): string {
  const file = join(folder, 'password');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    const password = randomBytes(24).toString('hex');
    writeFileSync(file, `${password}\n`, { mode: 0o600 });
    return password;
  }
}

/** A minimal environment for store processes, without the user's settings. */
export function plainEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  // C.UTF-8 exists on every machine and supports any character in a path.
  return {
    PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/bin:/sbin:/bin`,
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    ...extra,
  };
}

/** Quotes a value for the settings of Redis and Erlang. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
