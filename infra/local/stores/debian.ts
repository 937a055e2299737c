import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { CommandError } from '../command-error.ts';
import { findCommand } from './commands.ts';

const stores = { title: 'Redis and RabbitMQ', names: ['redis-server', 'rabbitmq-server'] };
const linesKept = 20;

/** Debian packages, and their title in the output. */
export interface Packages {
  title: string;
  names: readonly string[];
}

const unpacking = new Map<string, Promise<string | undefined>>();

/**
 * Unpacks Debian packages for this project only, by default Redis and RabbitMQ with Erlang and missing libraries, and
 * returns the folder; undefined on a machine without apt. The packages are not installed: that would need root, create
 * services and accounts, and interfere with the user's own programs. apt still resolves dependencies and verifies
 * signatures; only its lists and cache are in our folder.
 */
export async function debianPackages(
  packagesDir: string,
  log: (line: string) => void,
  packages: Packages = stores,
): Promise<string | undefined> {
  const known = unpacking.get(packagesDir) ?? unpack(packagesDir, log, packages);
  unpacking.set(packagesDir, known);
  return known;
}

async function unpack(
  packagesDir: string,
  log: (line: string) => void,
  { title, names }: Packages,
): Promise<string | undefined> {
  if (existsSync(packagesDir)) return packagesDir;
  if (!findCommand('apt-get') || !findCommand('dpkg-deb')) return undefined;
  const startedAt = performance.now();
  const draft = `${packagesDir}.${process.pid}`;
  removeDrafts(packagesDir);
  for (const folder of ['lists/partial', 'archives/partial', 'root'])
    mkdirSync(join(draft, folder), { recursive: true });
  log(`${title}: downloading Debian packages (once; unpacked for this project only)`);
  try {
    await fetchPackages(draft, log, { title, names });
    await unpackAll(draft);
    // Another command may have unpacked the same packages meanwhile.
    if (!existsSync(packagesDir)) renameSync(join(draft, 'root'), packagesDir);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  log(`${title}: unpacked (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  return packagesDir;
}

async function fetchPackages(draft: string, log: (line: string) => void, { title, names }: Packages): Promise<void> {
  const options = [
    ['Dir::State::lists', join(draft, 'lists')],
    ['Dir::Cache', draft],
    ['Dir::Cache::archives', join(draft, 'archives')],
    ['Dir::Log', draft],
    ['Dir::Etc::Parts', '/etc/apt/apt.conf.d'],
    // The machine's package database is only read, so there is no need to wait for its lock.
    ['Debug::NoLocking', 'true'],
    // As root, apt would download as the user _apt, who cannot access our folder.
    ['APT::Sandbox::User', ''],
    ['Acquire::Languages', 'none'],
    ['Acquire::Retries', '2'],
    // The machine's hooks (command-not-found, container clean-up) need root.
    ['APT::Update::Post-Invoke', ''],
    ['APT::Keep-Downloaded-Packages', 'true'],
  ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await run(['apt-get', ...options, 'update'], () => undefined);
  let count = 0;
  const show = (line: string) => {
    const name = /^Get:\d+ \S+ \S+ \S+ (\S+)/.exec(line)?.[1];
    if (name) count += 1;
    if (name === 'rabbitmq-server' || (name && count % 10 === 0)) log(`${title}: ${count} packages downloaded`);
  };
  await run(['apt-get', ...options, 'install', '-y', '--no-install-recommends', '--download-only', ...names], show);
}

async function unpackAll(draft: string): Promise<void> {
  const archives = join(draft, 'archives');
  for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb'))) {
    await run(['dpkg-deb', '--extract', join(archives, file), join(draft, 'root')], () => undefined);
  }
}

/** Removes draft folders of killed commands, but not those of running ones. */
function removeDrafts(packagesDir: string): void {
  const parent = join(packagesDir, '..');
  if (!existsSync(parent)) return;
  const pattern = new RegExp(`^${basename(packagesDir)}\\.(\\d+)$`);
  const drafts = readdirSync(parent).map((name) => pattern.exec(name));
  for (const draft of drafts) {
    if (draft && !existsSync(`/proc/${draft[1]}`)) rmSync(join(parent, draft[0]), { recursive: true, force: true });
  }
}

function run([file, ...args]: string[], onLine: (line: string) => void): Promise<void> {
  const child = spawn(file as string, args, {
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > linesKept) lines.shift();
      onLine(line);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(aptFailure(lines))));
  });
}

function aptFailure(lines: string[]): Error {
  const errors = lines.filter((line) => /^(E|Err|dpkg-deb: error)\b/.test(line));
  if (lines.some((line) => line.includes('No space left')))
    return Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const reason = errors.at(-1) ?? lines.at(-1) ?? 'no reason given';
  return new CommandError(`Downloading the Debian packages failed: ${reason}`, { lines });
}

/** The folders with shared libraries in the unpacked packages. */
export function libraryFolders(root: string): string[] {
  return ['usr/lib', 'lib']
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.includes('-linux-'))
        .map((name) => join(folder, name)),
    );
}
