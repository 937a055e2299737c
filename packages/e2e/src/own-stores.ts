import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endLeftovers } from '@tandem/local/records';
import { keptSecrets } from '@tandem/local/secrets';
import { startStores } from '@tandem/local/stores';
import { testDatabases } from '@tandem/tooling';

type Stores = Awaited<ReturnType<typeof startStores>>;
type StoreProcess = 'postgres' | 'redis' | 'rabbitmq';

/** Stores that one test file may break: those of the other tests are not touched. */
export interface OwnStores extends Stores {
  /** Sends a signal to a store: SIGKILL (its supervisor starts it again), SIGSTOP or SIGCONT. */
  signal(store: StoreProcess, signal: NodeJS.Signals): void;
}

/** Brings up PostgreSQL, Redis and RabbitMQ for one test file, with templates to clone from. */
export async function ownStores(name: string): Promise<OwnStores> {
  const testDir = process.env.TEST_DIR as string;
  const dir = join(testDir, name);
  // A run that was killed may have left some of them running.
  await endLeftovers(join(dir, 'run'));
  const stores = await startStores({
    dir,
    packagesDir: join(import.meta.dirname, '../../../.local/debian'),
    given: {},
    log: () => {},
  });
  const { ROLE_SECRET: roleSecret } = keptSecrets(join(testDir, 'secrets.json'));
  try {
    await testDatabases({ adminUrl: stores.adminDatabaseUrl, roleSecret });
  } catch (error) {
    await stores.stop();
    throw error;
  }
  const pid = (store: StoreProcess): number =>
    JSON.parse(readFileSync(join(dir, 'run', `${store}.process.json`), 'utf8')).pid;
  return { ...stores, signal: (store, signal) => void process.kill(pid(store), signal) };
}
