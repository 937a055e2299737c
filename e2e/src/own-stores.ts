import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endLeftovers } from '@tandem/local/records';
import { loadSecrets } from '@tandem/local/secrets';
import { startStores } from '@tandem/local/stores';
import { testDatabases } from '@tandem/tooling';

type Stores = Awaited<ReturnType<typeof startStores>>;
type StoreProcess = 'postgres' | 'redis' | 'rabbitmq';

/** Stores that a test file may break without affecting other tests. */
export interface OwnStores extends Stores {
  /** Sends a signal to a store: SIGKILL (its supervisor restarts it), SIGSTOP or SIGCONT. */
  signal(store: StoreProcess, signal: NodeJS.Signals): void;
  /** The process id of a store. */
  pid(store: StoreProcess): number;
  /** Sets the memory limit in bytes above which RabbitMQ blocks publishers. */
  limitBrokerMemory(bytes: number): Promise<void>;
}

const remoteCallMs = 20_000;

/** Starts PostgreSQL (with template databases), Redis and RabbitMQ for one test file. */
export async function ownStores(name: string): Promise<OwnStores> {
  const testDir = process.env.TEST_DIR as string;
  const dir = join(testDir, name);
  // A killed run may have left stores running.
  await endLeftovers(join(dir, 'run'));
  const stores = await startStores({
    dir,
    packagesDir: join(import.meta.dirname, '../../.local/debian'),
    external: {},
    log: () => {},
  });
  const { ROLE_SECRET: roleSecret } = loadSecrets(join(testDir, 'secrets.json'));
  try {
    await testDatabases({ adminUrl: stores.adminDatabaseUrl, roleSecret });
  } catch (error) {
    await stores.stop();
    throw error;
  }
  const pid = (store: StoreProcess): number =>
    JSON.parse(readFileSync(join(dir, 'run', `${store}.process.json`), 'utf8')).pid;
  return {
    ...stores,
    pid,
    signal: (store, signal) => void process.kill(pid(store), signal),
    limitBrokerMemory: (bytes) => setMemoryLimit(pid('rabbitmq'), bytes),
  };
}

/** Calls RabbitMQ's memory monitor from another Erlang node, with the program and cookie of the running one. */
async function setMemoryLimit(pid: number, bytes: number): Promise<void> {
  const text = readFileSync(`/proc/${pid}/environ`, 'utf8');
  const env = Object.fromEntries(text.split('\0').map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const call = `rpc:call('${env.RABBITMQ_NODENAME}', vm_memory_monitor, set_vm_memory_high_watermark, [{absolute, ${bytes}}], 5000)`;
  const code = `io:format("~p", [${call}]), halt().`;
  const args = ['-noinput', '-sname', `limit${process.pid}@localhost`, '-eval', code];
  const { stdout } = await promisify(execFile)(join(env.BINDIR as string, 'erlexec'), args, {
    env: { ...env, ERL_LIBS: '' },
    timeout: remoteCallMs,
  });
  if (!stdout.includes('ok')) throw new Error(`RabbitMQ did not accept the memory limit: ${stdout}`);
}
