import { join } from 'node:path';
import { findCommand } from './commands.ts';
import { debianPackages, libraryFolders } from './debian.ts';
import { plainEnvironment } from './store.ts';

/** The path of a program, and an environment with the path of its libraries. */
export interface Program {
  path: string;
  env: Record<string, string>;
}

/**
 * Finds the machine's PgBouncer, or unpacks the Debian package for this project only.
 * @param packagesDir folder for the unpacked package
 * @throws on a machine with neither PgBouncer nor apt
 */
export async function findPgBouncer(packagesDir: string): Promise<Program> {
  const installed = findCommand('pgbouncer');
  if (installed) return { path: installed, env: plainEnvironment() };
  const root = await debianPackages(packagesDir, () => {}, { title: 'PgBouncer', names: ['pgbouncer'] });
  if (!root) throw new Error('PgBouncer was not found: install pgbouncer (1.18 or newer)');
  const env = plainEnvironment({ LD_LIBRARY_PATH: libraryFolders(root).join(':') });
  return { path: join(root, 'usr/sbin/pgbouncer'), env };
}
