import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findPgBouncer } from '@tandem/local/programs';
import { until } from '@tandem/testing';

/** PgBouncer in transaction mode in front of a PostgreSQL server. */
export interface Pooler {
  /** The URL of a database through the pooler. */
  through(url: string): string;
  close(): Promise<void>;
}

/**
 * Starts PgBouncer.
 * @param options.urls the direct database URLs with their roles
 * @param options.connections connections to the server per database and role
 */
export async function startPooler(options: { port: number; urls: string[]; connections: number }): Promise<Pooler> {
  const { port, urls, connections } = options;
  const { path, env } = await findPgBouncer(join(import.meta.dirname, '../../.local/pgbouncer'));
  const dir = mkdtempSync(join(process.env.TEST_DIR as string, 'pooler-'));
  const [server] = urls.map((url) => new URL(url));
  const users = urls.map((url) => new URL(url)).map(({ username, password }) => `"${username}" "${password}"`);
  writeFileSync(join(dir, 'users.txt'), `${[...new Set(users)].join('\n')}\n`, { mode: 0o600 });
  const settings = [
    '[databases]',
    `* = host=${server?.hostname} port=${server?.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${join(dir, 'users.txt')}`,
    'pool_mode = transaction',
    `default_pool_size = ${connections}`,
    'max_client_conn = 500',
  ];
  writeFileSync(join(dir, 'pgbouncer.ini'), `${settings.join('\n')}\n`, { mode: 0o600 });
  const command = [...namespacePrefix(), path, join(dir, 'pgbouncer.ini')];
  const child = spawn(command[0] as string, command.slice(1), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const lines: string[] = [];
  child.stderr?.on('data', (chunk) => lines.push(String(chunk)));
  await until('PgBouncer is listening', () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer exited: ${lines.join('')}`);
    return listens(port);
  });
  return {
    through(url) {
      const pooled = new URL(url);
      pooled.host = `127.0.0.1:${port}`;
      return pooled.href;
    },
    close: () => end(child),
  };
}

/** PgBouncer refuses to run as root. In a user namespace, root has another uid and still owns its files. */
function namespacePrefix(): string[] {
  if (process.getuid?.() !== 0) return [];
  const namespace = ['unshare', '--user', '--map-user=1', '--map-group=1'];
  const { status } = spawnSync(namespace[0] as string, [...namespace.slice(1), 'true']);
  if (status !== 0) throw new Error('PgBouncer cannot run as root, and this machine does not allow user namespaces');
  return namespace;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
