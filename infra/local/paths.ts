import { join, resolve } from 'node:path';

/** The root of the repository. */
export const root = resolve(import.meta.dirname, '../..');

/** Everything the local commands keep. */
export const localDir = join(root, '.local');

/** The records of running processes. */
export const runDir = join(localDir, 'run');

/** Redis and RabbitMQ from Debian's packages, for the fleet and the tests. */
export const packagesDir = join(localDir, 'debian');

export const secretsFile = join(localDir, 'secrets.json');

/** The sign-ins and keys of the demo tenants. */
export const credentialsFile = join(localDir, 'credentials.json');

/** The settings of the running fleet's processes. */
export const environmentFile = join(runDir, 'environment.json');

// Relative, since the address of a socket may not be longer than 107 letters and the repository may lie deep.
// Every command runs in the root of the repository.
export const controlSocket = '.local/run/control.sock';
