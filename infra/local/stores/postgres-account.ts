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

// Accounts that every Debian has.
const root = { uid: 0, gid: 0 };
const daemon = { uid: 1, gid: 1 };
const nobody = { uid: 65_534, gid: 65_534 };

/** As whom PostgreSQL runs, and where its program and its data are for that account. */
export interface Account {
  /** Put ahead of each command. */
  prefix: string[];
  /** For `spawn`; empty when the account is our own. */
  ids: { uid?: number; gid?: number };
  native: string;
  /** The folder that holds `data`. */
  folder: string;
  /** Gives a file or folder, with all in it, to the account. */
  own(path: string): void;
}

/**
 * PostgreSQL refuses to run as root, and the repository may lie where no other account can enter (/root is closed to
 * all). So root starts it in a user namespace, in which root's own user bears another number: to PostgreSQL it is
 * not root, to the files it is their owner. Where namespaces are forbidden, as in most containers, it runs as `nobody`,
 * and if that one cannot reach the repository, from a folder in /var/lib that `.local/postgres` links to.
 */
export function chooseAccount({ folder, native }: { folder: string; native: string }): Account {
  linkLibraries(native);
  recoverMove(folder);
  const own = () => undefined;
  if (process.getuid?.() !== 0) return { prefix: [], ids: {}, native, folder, own };
  const namespace = ['unshare', '--user', `--map-user=${daemon.uid}`, `--map-group=${daemon.gid}`];
  if (runs([...namespace, 'true'])) {
    const place = realFolder(folder);
    enter(place, root);
    return { prefix: namespace, ids: {}, native, folder: place, own };
  }
  return asNobody({ folder, native });
}

function asNobody({ folder, native }: { folder: string; native: string }): Account {
  const isReachable =
    runs([join(native, 'bin/postgres'), '--version'], nobody) && runs(['test', '-x', dirname(folder)], nobody);
  const place = isReachable ? realFolder(folder) : outside(folder);
  const program = isReachable ? native : copyOf(native, place);
  enter(place, nobody);
  return { prefix: [], ids: nobody, native: program, folder: place, own: (path) => giveTo(nobody, path) };
}

/** The folder outside the repository, with a link to its data where it would otherwise be. */
function outside(folder: string): string {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  const place = join('/var/lib', `tandem-${name}`);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const [link, data] = [join(folder, 'data'), join(place, 'data')];
  const kind = lstatSync(link, { throwIfNoEntry: false });
  if (kind?.isSymbolicLink()) return place;
  if (kind) moveData(link, data);
  if (!kind) {
    // A link that was deleted says that its data may go: the user wants a fresh start.
    rmSync(data, { recursive: true, force: true });
    symlinkSync(data, link);
  }
  return place;
}

/** Copies the data and puts a link in its place. The original goes last, so that no interruption can lose it. */
function moveData(original: string, data: string): void {
  rmSync(data, { recursive: true, force: true });
  copy(original, data);
  rmSync(`${original}.link`, { force: true });
  symlinkSync(data, `${original}.link`);
  renameSync(original, setAside(original));
  renameSync(`${original}.link`, original);
  rmSync(setAside(original), { recursive: true });
}

/** Undoes a move that was interrupted at its last step. */
function recoverMove(folder: string): void {
  const data = join(folder, 'data');
  if (!existsSync(setAside(data))) return;
  if (lstatSync(data, { throwIfNoEntry: false })) rmSync(setAside(data), { recursive: true });
  else renameSync(setAside(data), data);
}

function setAside(data: string): string {
  return `${data}.moved`;
}

/** Where the data is: an earlier start as `nobody` may have put it outside. */
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

/** Node's own copying forgets the rights of folders, and PostgreSQL refuses data that others could read. */
function copy(from: string, to: string): void {
  const copied = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (copied.status !== 0) throw new Error(copied.stderr.trim().split('\n').at(-1));
}

/** The folder and the data in it become the account's: the last start may have been as another one. */
function enter(place: string, account: { uid: number; gid: number }): void {
  chownSync(place, account.uid, account.gid);
  giveTo(account, join(place, 'data'));
}

function giveTo({ uid, gid }: { uid: number; gid: number }, path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat || stat.isSymbolicLink()) return;
  if (stat.uid === uid) return;
  chownSync(path, uid, gid);
  if (!stat.isDirectory()) return;
  for (const name of readdirSync(path)) giveTo({ uid, gid }, join(path, name));
}

/** npm packages cannot hold links, so the package lists them; its install script, which would make them, is not run. */
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
