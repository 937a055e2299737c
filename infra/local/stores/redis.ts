import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import type { ProcessSpec } from '../supervised.ts';
import { findCommand } from './commands.ts';
import { composeProcess } from './compose.ts';
import { debianPackages, libraryFolders } from './debian.ts';
import { greet } from './probe.ts';
import { loadPassword, type PreparedStore, plainEnvironment, quoted, type StoreContext, storeFolder } from './store.ts';

/** A private Redis: the installed program, else the Debian package, else a container. */
export async function prepareRedis(context: StoreContext): Promise<PreparedStore> {
  const folder = storeFolder(context, 'redis');
  const password = loadPassword(folder);
  const port = await context.ports.get('redis');
  const common = {
    name: 'redis',
    kind: 'store' as const,
    cwd: folder,
    isReady: async () => (await greet(port, `AUTH ${password}\r\nPING\r\n`)).includes('+PONG'),
    readyWithinMs: 60_000,
    stopSignal: 'SIGTERM' as const,
    stopWithinMs: 15_000,
    output: { file: join(context.dir, 'log/redis.log') },
  };
  const command = await redisCommand(context, { folder, port, password });
  return { url: `redis://:${password}@127.0.0.1:${port}`, processes: [{ ...common, ...command }] };
}

async function redisCommand(
  context: StoreContext,
  { folder, port, password }: { folder: string; port: number; password: string },
): Promise<Pick<ProcessSpec, 'command' | 'env'>> {
  const settings = join(folder, 'redis.conf');
  writeFileSync(settings, redisSettings(context, { folder, port, password }), { mode: 0o600 });
  const installed = findCommand('redis-server');
  if (installed) return { command: [installed, settings], env: plainEnvironment() };
  const root = await debianPackages(context.packagesDir, context.log);
  if (root) {
    const env = plainEnvironment({ LD_LIBRARY_PATH: libraryFolders(root).join(':') });
    return { command: [join(root, 'usr/bin/redis-server'), settings], env };
  }
  const container = composeProcess('redis', {
    folder,
    variables: { REDIS_PORT: String(port), REDIS_PASSWORD: password },
  });
  if (container) return container;
  throw new CommandError(
    'Redis was not found: install redis-server (any 7 or newer), or Docker with Compose, or set REDIS_URL.',
  );
}

/** No eviction, because Redis holds jobs and counters. */
function redisSettings(
  { isDurable }: StoreContext,
  { folder, port, password }: { folder: string; port: number; password: string },
): string {
  return `${[
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${quoted(folder)}`,
    'daemonize no',
    'maxmemory-policy noeviction',
    `appendonly ${isDurable ? 'yes' : 'no'}`,
    'appendfsync everysec',
    'save ""',
    'loglevel notice',
  ].join('\n')}\n`;
}
