import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const names = ['nginx', 'libnginx-mod-http-lua', 'lua-resty-core', 'lua-nginx-redis', 'lua-cjson', 'wrk'];
// Fallback: programs and libraries that are already installed on this machine.
const systemRoot = '/';

/** nginx, which Tandem is compared with, and the load generator wrk. */
export interface PeerPrograms {
  nginx: string;
  wrk: string;
  /** Folders searched for nginx's Lua modules and libraries, in order. */
  roots: string[];
  env: Record<string, string>;
}

/**
 * Provides nginx with Lua, and wrk, from Debian packages unpacked for this project only (as infra/local does with the
 * stores). Nothing is installed, so the machine's own nginx is neither changed nor started.
 * @returns the reason as one line if the programs are unavailable
 */
export async function peerPrograms(dir: string, log: (line: string) => void): Promise<PeerPrograms | string> {
  const folder = join(dir, 'debian');
  try {
    if (!existsSync(folder)) await unpack(folder, log);
  } catch (error) {
    if (!find('nginx', [systemRoot]) || !find('wrk', [systemRoot]))
      return `nginx and wrk are not available: ${(error as Error).message}`;
  }
  const roots = [folder, systemRoot].filter((root) => existsSync(root));
  const [nginx, wrk] = [find('nginx', roots), find('wrk', roots)];
  if (!nginx || !wrk) return 'nginx and wrk are not available: the downloaded packages do not contain them';
  return { nginx, wrk, roots, env: { LD_LIBRARY_PATH: libraryFolders(folder).join(':') } };
}

/** The path of a file in the first root that has it. */
export function inRoots(roots: readonly string[], path: string): string | undefined {
  return roots.map((root) => join(root, path)).find((file) => existsSync(file));
}

function find(program: string, roots: readonly string[]): string | undefined {
  return inRoots(roots, `usr/sbin/${program}`) ?? inRoots(roots, `usr/bin/${program}`);
}

function libraryFolders(root: string): string[] {
  return ['usr/lib', 'lib']
    .flatMap((lib) => [
      join(root, lib),
      ...subfolders(join(root, lib)).filter((folder) => folder.endsWith('-linux-gnu')),
    ])
    .filter((folder) => existsSync(folder));
}

function subfolders(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

async function unpack(folder: string, log: (line: string) => void): Promise<void> {
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  for (const part of ['lists/partial', 'archives/partial', 'root']) mkdirSync(join(draft, part), { recursive: true });
  log(`downloading ${names.join(', ')} from Debian (once; unpacked for this project only)`);
  try {
    const options = aptOptions(draft);
    await run('apt-get', [...options, 'update']);
    await run('apt-get', [...options, 'install', '-y', '--no-install-recommends', '--download-only', ...names]);
    const archives = join(draft, 'archives');
    for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb')))
      await run('dpkg-deb', ['--extract', join(archives, file), join(draft, 'root')]);
    renameSync(join(draft, 'root'), folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Options that redirect apt's lists and cache to our folder, so that it needs neither root nor a lock. */
function aptOptions(draft: string): string[] {
  return [
    ['Dir::State::lists', join(draft, 'lists')],
    ['Dir::Cache', draft],
    ['Dir::Cache::archives', join(draft, 'archives')],
    ['Dir::Log', draft],
    ['Debug::NoLocking', 'true'],
    ['APT::Sandbox::User', ''],
    ['APT::Update::Post-Invoke', ''],
    ['APT::Keep-Downloaded-Packages', 'true'],
    ['Acquire::Languages', 'none'],
  ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

function run(program: string, args: string[]): Promise<void> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(errors.trim().split('\n').at(-1) || `${program} failed`)),
    );
  });
}
