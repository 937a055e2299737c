import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import type { ProcessSpec } from '../supervised.ts';
import { composeProcess } from './compose.ts';
import { debianPackages } from './debian.ts';
import { greet } from './probe.ts';
import { keptPassword, type PreparedStore, plainEnvironment, type StoreContext, storeFolder } from './store.ts';

const user = 'tandem';
// On loopback a node can be named so that a changed host name does not make its data somebody else's.
const nodeName = 'tandem@localhost';

interface Broker {
  folder: string;
  password: string;
  port: number;
  nodePort: number;
  epmdPort: number;
  managementPort: number;
}

/** Where Erlang and RabbitMQ's compiled code lie. */
interface Program {
  erlang: string;
  emulator: string;
  broker: string;
}

/**
 * A private RabbitMQ: the machine's program if it has one, else Debian's package, else a container. The Erlang machine
 * is started directly, without RabbitMQ's scripts: one in /usr/sbin insists on the system's account, and the other
 * breaks on blanks in a path and cannot be moved away from /usr.
 */
export async function prepareRabbit(context: StoreContext): Promise<PreparedStore> {
  const folder = storeFolder(context, 'rabbitmq');
  const broker: Broker = {
    folder,
    password: keptPassword(folder),
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

/** Erlang's own name server. RabbitMQ would start one that nobody ends; this one is ours from start to end. */
function epmdProcess(context: StoreContext, { broker, program }: { broker: Broker; program: Program }): ProcessSpec {
  return {
    name: 'rabbitmq-epmd',
    kind: 'store',
    command: [join(program.emulator, 'epmd'), '-port', String(broker.epmdPort), '-address', '127.0.0.1'],
    env: plainEnvironment({ HOME: broker.folder }),
    cwd: broker.folder,
    // "n" asks for the names it knows: a length of one byte ahead of it, and the answer begins with its own port.
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
    // The listener opens last of all, and answers the protocol's header with a frame of type 1.
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
    // As RabbitMQ's own script has them.
    ['+W', 'w', '+MBas', 'ageffcbf', '+MHas', 'ageffcbf', '+MBlmbcs', '512', '+MHlmbcs', '512', '+MMmcs', '30'],
    ['+P', '1048576', '+t', '5000000', '+zdbbl', '128000', '+B', 'i'],
    // An idle node that spins for work would take a tenth of a core from everything else on the machine.
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
    // The cookie of the Erlang cluster lies in the home folder: with the user's own, nodes could join each other.
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
  // Its API lists queues and bindings, which AMQP cannot: `npm run admin -- topology`.
  writeFileSync(join(folder, 'enabled_plugins'), '[rabbitmq_management].\n');
  const settings = [
    `listeners.tcp.1 = 127.0.0.1:${port}`,
    'management.tcp.ip = 127.0.0.1',
    `management.tcp.port = ${managementPort}`,
    // Statistics of every queue and connection would take processor time at rest.
    'management_agent.disable_metrics_collector = true',
    `default_user = ${user}`,
    `default_pass = ${password}`,
    // Limits, not reservations. Publishers are held back beyond them instead of taking the machine down.
    'vm_memory_high_watermark.absolute = 512MB',
    'disk_free_limit.absolute = 50MB',
    // The log of quorum queues would grow to 512 MB before it is cut, in memory as well.
    'raft.wal_max_size_bytes = 67108864',
    // The default of RabbitMQ 4; 3.10 would accept 128 MB.
    'max_message_size = 16777216',
    'log.console = true',
    'log.console.level = warning',
    'log.file = false',
  ];
  writeFileSync(join(folder, 'rabbitmq.conf'), `${settings.join('\n')}\n`, { mode: 0o600 });
}
