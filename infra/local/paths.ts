import { join, resolve } from 'node:path';

/** The root of the repository. */
export const root = resolve(import.meta.dirname, '../..');

/** Data folder of the local commands. */
export const localDir = join(root, '.local');

/** Records of running processes. */
export const runDir = join(localDir, 'run');

/** Redis and RabbitMQ from Debian packages, for the fleet and the tests. */
export const packagesDir = join(localDir, 'debian');

export const secretsFile = join(localDir, 'secrets.json');

/** Logins and API keys of the demo tenants. */
export const credentialsFile = join(localDir, 'credentials.json');

/** The settings of the running fleet's processes. */
export const environmentFile = join(runDir, 'environment.json');

// Relative, because a Unix socket path is limited to 107 bytes. Every command runs in the root of the repository.
export const controlSocket = '.local/run/control.sock';
