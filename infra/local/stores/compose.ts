import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ProcessSpec } from '../supervised.ts';
import { plainEnvironment } from './store.ts';

let isAvailable: boolean | undefined;

/** Runs a store in a container as a foreground process; undefined without Docker Compose. */
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
    // Always recreated, because a container left by a killed supervisor may use other ports.
    command: ['docker', 'compose', '-f', file, '-p', project, 'up', '--force-recreate', '--no-log-prefix', service],
    env: plainEnvironment({ HOME: home, DATA_DIR: folder, ...variables }),
  };
}

/** Also checks that the Docker engine is running and accessible, not only that the command exists. */
function hasCompose(): boolean {
  const checks = [['compose', 'version'], ['info']];
  return checks.every((args) => spawnSync('docker', args, { stdio: 'ignore', timeout: 10_000 }).status === 0);
}
