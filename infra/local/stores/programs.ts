import { join } from 'node:path';
import { findCommand } from './commands.ts';
import { debianPackages, libraryFolders } from './debian.ts';
import { plainEnvironment } from './store.ts';

/** A program as it is started: its path, and the environment with the libraries that came with it. */
export interface Program {
  path: string;
  env: Record<string, string>;
}

/**
 * PgBouncer of the machine, else from Debian's packages, unpacked for this project alone.
 * @param packagesDir where to unpack it, once
 * @throws on a machine that has neither PgBouncer nor apt
 */
export async function findPgBouncer(packagesDir: string): Promise<Program> {
  const installed = findCommand('pgbouncer');
  if (installed) return { path: installed, env: plainEnvironment() };
  const root = await debianPackages(packagesDir, () => {}, { title: 'PgBouncer', names: ['pgbouncer'] });
  if (!root) throw new Error('PgBouncer was not found: install pgbouncer (1.18 or newer)');
  const env = plainEnvironment({ LD_LIBRARY_PATH: libraryFolders(root).join(':') });
  return { path: join(root, 'usr/sbin/pgbouncer'), env };
}
