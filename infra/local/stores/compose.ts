import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ProcessSpec } from '../supervised.ts';
import { plainEnvironment } from './store.ts';

let isAvailable: boolean | undefined;

/** A store in a container, as a process in the foreground like any other; undefined without Docker Compose. */
export function composeProcess(
  service: 'redis' | 'rabbitmq',
  { folder, variables }: { folder: string; variables: Record<string, string> },
): Pick<ProcessSpec, 'command' | 'env'> | undefined {
  isAvailable ??= hasCompose();
  if (!isAvailable) return undefined;
  const file = join(import.meta.dirname, 'compose.yml');
  const project = `tandem-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`;
  const home = process.env['HOME'] ?? folder;
  return {
    // Recreated each time: a container left by a killed supervisor may have other ports.
    command: ['docker', 'compose', '-f', file, '-p', project, 'up', '--force-recreate', '--no-log-prefix', service],
    env: plainEnvironment({ HOME: home, DATA_DIR: folder, ...variables }),
  };
}

/** The command alone is not enough: it talks to an engine, which must run and let us in. */
function hasCompose(): boolean {
  const asks = [['compose', 'version'], ['info']];
  return asks.every((args) => spawnSync('docker', args, { stdio: 'ignore', timeout: 10_000 }).status === 0);
}
