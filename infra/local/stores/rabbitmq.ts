import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import type { ProcessSpec } from '../supervised.ts';
import { composeProcess } from './compose.ts';
import { debianPackages } from './debian.ts';
import { greet } from './probe.ts';
import { loadPassword, type PreparedStore, plainEnvironment, type StoreContext, storeFolder } from './store.ts';

const user = 'tandem';
// Uses localhost, because the data belongs to the node name and the host name may change.
const nodeName = 'tandem@localhost';

interface Broker {
  folder: string;
  password: string;
  port: number;
  nodePort: number;
  epmdPort: number;
  managementPort: number;
}

/** The folders of Erlang and RabbitMQ. */
interface Program {
  erlang: string;
  emulator: string;
  broker: string;
}

/**
 * A private RabbitMQ: the installed program, else the Debian package, else a container. The Erlang VM is started
 * directly, without RabbitMQ's scripts: the one in /usr/sbin requires the system account, and the other one fails for
 * paths with spaces or outside of /usr.
 */
export async function prepareRabbit(context: StoreContext): Promise<PreparedStore> {
  const folder = storeFolder(context, 'rabbitmq');
  const broker: Broker = {
    folder,
    password: loadPassword(folder),
    port: await context.ports.get('rabbitmq'),
    nodePort: await context.ports.get('rabbitmq-node'),
    epmdPort: await context.ports.get('rabbitmq-epmd'),
    managementPort: await context.ports.get('rabbitmq-management'),
  };
  const login = `${user}:${broker.password}@127.0.0.1`;
  return {
    url: `amqp://${login}:${broker.port}`,
    managementUrl: `http://${login}:${broker.managementPort}`,
    processes: await brokerProcesses(context, broker),
  };
}

async function brokerProcesses(context: StoreContext, broker: Broker): Promise<ProcessSpec[]> {
  const program = installedProgram('/') ?? (await unpackedProgram(context));
  if (program) return [epmdProcess(context, { broker, program }), nodeProcess(context, { broker, program })];
  const { folder, port, password, managementPort } = broker;
  const variables = {
    RABBITMQ_PORT: String(port),
    RABBITMQ_MANAGEMENT_PORT: String(managementPort),
    RABBITMQ_USER: user,
    RABBITMQ_PASSWORD: password,
  };
  const container = composeProcess('rabbitmq', { folder, variables });
  if (container) return [{ ...nodeBasics(context, broker), ...container }];
  throw new CommandError(
    'RabbitMQ was not found: install rabbitmq-server (3.10 or newer), or Docker with Compose, or set AMQP_URL.',
  );
}

async function unpackedProgram(context: StoreContext): Promise<Program | undefined> {
  const root = await debianPackages(context.packagesDir, context.log);
  return root === undefined ? undefined : installedProgram(root);
}

function installedProgram(root: string): Program | undefined {
  const erlang = join(root, 'usr/lib/erlang');
  const broker = newest(join(root, 'usr/lib/rabbitmq/lib'), 'rabbitmq_server-');
  const emulator = newest(erlang, 'erts-');
  return broker && emulator ? { erlang, emulator: join(emulator, 'bin'), broker } : undefined;
}

function newest(folder: string, prefix: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
  const last = names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
  return last === undefined ? undefined : join(folder, last);
}

/** Erlang's port mapper daemon. Started here, because nothing would stop one started by RabbitMQ. */
function epmdProcess(context: StoreContext, { broker, program }: { broker: Broker; program: Program }): ProcessSpec {
  return {
    name: 'rabbitmq-epmd',
    kind: 'store',
    command: [join(program.emulator, 'epmd'), '-port', String(broker.epmdPort), '-address', '127.0.0.1'],
    env: plainEnvironment({ HOME: broker.folder }),
    cwd: broker.folder,
    // The NAMES_REQ "n", with its length before it; the response starts with the port of epmd.
    isReady: async () => (await greet(broker.epmdPort, '\0\x01n')) !== '',
    readyWithinMs: 10_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: 5_000,
    output: { file: join(context.dir, 'log/rabbitmq-epmd.log') },
  };
}

function nodeBasics(context: StoreContext, { folder, port }: Broker): Omit<ProcessSpec, 'command' | 'env'> {
  return {
    name: 'rabbitmq',
    kind: 'store',
    cwd: folder,
    // The listener opens last, and answers the protocol header with a frame of type 1.
    isReady: async () => (await greet(port, 'AMQP\0\0\x09\x01')).startsWith('\x01'),
    readyWithinMs: 90_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: 30_000,
    output: { file: join(context.dir, 'log/rabbitmq.log') },
  };
}

function nodeProcess(context: StoreContext, { broker, program }: { broker: Broker; program: Program }): ProcessSpec {
  writeSettings(broker);
  return { ...nodeBasics(context, broker), command: erlangCommand(program), env: nodeEnvironment(broker, program) };
}

function erlangCommand({ emulator }: Program): string[] {
  return [
    [join(emulator, 'erlexec'), '-noinput', '-s', 'rabbit', 'boot', '-boot', 'start_sasl'],
    // Same flags as RabbitMQ's own script.
    ['+W', 'w', '+MBas', 'ageffcbf', '+MHas', 'ageffcbf', '+MBlmbcs', '512', '+MHlmbcs', '512', '+MMmcs', '30'],
    ['+P', '1048576', '+t', '5000000', '+zdbbl', '128000', '+B', 'i'],
    // Without busy waiting, which would use a tenth of a core on an idle node.
    ['+sbwt', 'none', '+sbwtdcpu', 'none', '+sbwtdio', 'none'],
    ['-kernel', 'inet_dist_use_interface', '{127,0,0,1}', '-kernel', 'prevent_overlapping_partitions', 'false'],
    ['-syslog', 'logger', '[]', '-syslog', 'syslog_error_logger', 'false'],
  ].flat();
}

function nodeEnvironment({ folder, nodePort, epmdPort }: Broker, program: Program): Record<string, string> {
  return plainEnvironment({
    ROOTDIR: program.erlang,
    BINDIR: program.emulator,
    EMU: 'beam',
    PROGNAME: 'erl',
    ERL_LIBS: join(program.broker, 'plugins'),
    ERL_MAX_ETS_TABLES: '50000',
    ERL_MAX_PORTS: '65536',
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_CRASH_DUMP_SECONDS: '0',
    // The Erlang cookie is in the home folder: with the user's own, separate nodes could connect to each other.
    HOME: join(folder, 'home'),
    RABBITMQ_HOME: program.broker,
    RABBITMQ_NODENAME: nodeName,
    RABBITMQ_CONF_ENV_FILE: join(folder, 'none.conf'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_DIST_PORT: String(nodePort),
  });
}

function writeSettings({ folder, port, password, managementPort }: Broker): void {
  for (const name of ['home', 'data', 'log']) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  // `npm run admin -- topology` lists queues and bindings with the management API, which AMQP cannot do.
  writeFileSync(join(folder, 'enabled_plugins'), '[rabbitmq_management].\n');
  const settings = [
    `listeners.tcp.1 = 127.0.0.1:${port}`,
    'management.tcp.ip = 127.0.0.1',
    `management.tcp.port = ${managementPort}`,
    // Statistics of queues and connections would use CPU on an idle broker.
    'management_agent.disable_metrics_collector = true',
    `default_user = ${user}`,
    `default_pass = ${password}`,
    // Limits, not reservations. Above them, RabbitMQ blocks publishers instead of exhausting the machine.
    'vm_memory_high_watermark.absolute = 512MB',
    'disk_free_limit.absolute = 50MB',
    // By default, the WAL of quorum queues grows to 512 MB, also in memory, before it is rolled over.
    'raft.wal_max_size_bytes = 67108864',
    // The default of RabbitMQ 4; the default of 3.10 is 128 MB.
    'max_message_size = 16777216',
    'log.console = true',
    'log.console.level = warning',
    'log.file = false',
  ];
  writeFileSync(join(folder, 'rabbitmq.conf'), `${settings.join('\n')}\n`, { mode: 0o600 });
}
