import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findCommand } from './commands.ts';
import { debianPackages, libraryFolders, type Packages } from './debian.ts';
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
export function findPgBouncer(packagesDir: string): Promise<Program> {
  return findProgram('pgbouncer', packagesDir, { title: 'PgBouncer', names: ['pgbouncer'] });
}

/**
 * Finds the machine's clamd, the daemon of ClamAV, or unpacks the Debian package, which contains no signatures.
 * @param packagesDir folder for the unpacked package
 * @throws on a machine with neither clamd nor apt
 */
export function findClamd(packagesDir: string): Promise<Program> {
  return findProgram('clamd', packagesDir, { title: 'ClamAV', names: ['clamav-daemon'] });
}

/**
 * Finds the machine's pdfsig, which checks signatures of PDF, or unpacks Poppler's Debian package.
 * @param packagesDir folder for the unpacked package
 * @throws on a machine with neither pdfsig nor apt
 */
export function findPdfsig(packagesDir: string): Promise<Program> {
  return findProgram('pdfsig', packagesDir, { title: 'Poppler', names: ['poppler-utils'] });
}

async function findProgram(command: string, packagesDir: string, packages: Packages): Promise<Program> {
  const installed = findCommand(command);
  if (installed) return { path: installed, env: plainEnvironment() };
  const root = await debianPackages(packagesDir, () => {}, packages);
  if (!root) throw new Error(`${packages.title} was not found: install ${packages.names.join(' and ')}`);
  const env = plainEnvironment({ LD_LIBRARY_PATH: libraryFolders(root).join(':') });
  const [path] = ['usr/sbin', 'usr/bin'].map((folder) => join(root, folder, command)).filter(existsSync);
  if (!path) throw new Error(`${packages.title} has no program ${command}`);
  return { path, env };
}
