import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';

// Accounts that exist on every Debian.
const root = { uid: 0, gid: 0 };
const daemon = { uid: 1, gid: 1 };
const nobody = { uid: 65_534, gid: 65_534 };

/** The account that PostgreSQL runs as, and the location of its program and data for that account. */
export interface Account {
  /** Command prefix. */
  prefix: string[];
  /** User and group for `spawn`; empty for the current account. */
  ids: { uid?: number; gid?: number };
  native: string;
  /** The folder that contains `data`. */
  folder: string;
  /** Changes the owner of a file or folder to the account, recursively. */
  own(path: string): void;
}

/**
 * PostgreSQL refuses to run as root, and other accounts may have no access to the repository (for example in /root).
 * Therefore root starts it in a user namespace that maps root to another uid: PostgreSQL does not see root, but still
 * owns its files. Where namespaces are forbidden, as in most containers, it runs as `nobody`; if `nobody` cannot access
 * the repository, it runs from a folder in /var/lib that `.local/postgres` links to.
 */
export function chooseAccount({ folder, native }: { folder: string; native: string }): Account {
  linkLibraries(native);
  recoverMove(folder);
  const own = () => undefined;
  if (process.getuid?.() !== 0) return { prefix: [], ids: {}, native, folder, own };
  const namespace = ['unshare', '--user', `--map-user=${daemon.uid}`, `--map-group=${daemon.gid}`];
  if (runs([...namespace, 'true'])) {
    const place = realFolder(folder);
    takeOwnership(place, root);
    return { prefix: namespace, ids: {}, native, folder: place, own };
  }
  return asNobody({ folder, native });
}

function asNobody({ folder, native }: { folder: string; native: string }): Account {
  const isReachable =
    runs([join(native, 'bin/postgres'), '--version'], nobody) && runs(['test', '-x', dirname(folder)], nobody);
  const place = isReachable ? realFolder(folder) : outside(folder);
  const program = isReachable ? native : copyOf(native, place);
  takeOwnership(place, nobody);
  return { prefix: [], ids: nobody, native: program, folder: place, own: (path) => chownAll(nobody, path) };
}

/** The folder outside the repository; creates the link to its data in the repository. */
function outside(folder: string): string {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  const place = join('/var/lib', `tandem-${name}`);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const [link, data] = [join(folder, 'data'), join(place, 'data')];
  const kind = lstatSync(link, { throwIfNoEntry: false });
  if (kind?.isSymbolicLink()) return place;
  if (kind) moveData(link, data);
  if (!kind) {
    // The user has deleted the link to start afresh, so delete the data too.
    rmSync(data, { recursive: true, force: true });
    symlinkSync(data, link);
  }
  return place;
}

/** Moves the data and leaves a link. The original is removed last, so that an interruption cannot lose it. */
function moveData(original: string, data: string): void {
  rmSync(data, { recursive: true, force: true });
  copy(original, data);
  rmSync(`${original}.link`, { force: true });
  symlinkSync(data, `${original}.link`);
  renameSync(original, setAside(original));
  renameSync(`${original}.link`, original);
  rmSync(setAside(original), { recursive: true });
}

/** Finishes or reverts a move that was interrupted at its last step. */
function recoverMove(folder: string): void {
  const data = join(folder, 'data');
  if (!existsSync(setAside(data))) return;
  if (lstatSync(data, { throwIfNoEntry: false })) rmSync(setAside(data), { recursive: true });
  else renameSync(setAside(data), data);
}

function setAside(data: string): string {
  return `${data}.moved`;
}

/** The folder that contains the data: an earlier start as `nobody` may have moved it outside. */
function realFolder(folder: string): string {
  const link = lstatSync(join(folder, 'data'), { throwIfNoEntry: false });
  return link?.isSymbolicLink() ? outside(folder) : folder;
}

function copyOf(native: string, place: string): string {
  const version = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8')).version as string;
  const target = join(place, `program-${version}`);
  if (existsSync(target)) return target;
  rmSync(`${target}.new`, { recursive: true, force: true });
  copy(native, `${target}.new`);
  renameSync(`${target}.new`, target);
  return target;
}

/** Uses cp, because Node does not copy folder permissions and PostgreSQL refuses data that others can read. */
function copy(from: string, to: string): void {
  const copied = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (copied.status !== 0) throw new Error(copied.stderr.trim().split('\n').at(-1));
}

/** Changes the owner of the folder and its data, because the last start may have used another account. */
function takeOwnership(place: string, account: { uid: number; gid: number }): void {
  chownSync(place, account.uid, account.gid);
  chownAll(account, join(place, 'data'));
}

function chownAll({ uid, gid }: { uid: number; gid: number }, path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat || stat.isSymbolicLink()) return;
  if (stat.uid === uid) return;
  chownSync(path, uid, gid);
  if (!stat.isDirectory()) return;
  for (const name of readdirSync(path)) chownAll({ uid, gid }, join(path, name));
}

/**
 * npm packages cannot contain symlinks, so the package lists them. Its install script, which creates them, is not run.
 */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(native, '..', target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    symlinkSync(relative(dirname(target), source), link);
  }
}

function runs([file, ...args]: string[], ids: { uid?: number; gid?: number } = {}): boolean {
  return spawnSync(file as string, args, { stdio: 'ignore', cwd: '/', ...ids }).status === 0;
}
