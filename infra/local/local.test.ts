import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { becomesTrue } from './becomes-true.ts';
import { claimFolder, holderOf } from './claim.ts';
import { CommandError, explain } from './command-error.ts';
import { lease, serveControl } from './control.ts';
import { fleetEnvironment } from './environment.ts';
import { ownLine, readable } from './log-lines.ts';
import { endLeftovers, readRecords, writeRecord } from './records.ts';
import { loadSecrets } from './secrets.ts';
import { startPostgres } from './stores/index.ts';
import { type ProcessSpec, SupervisedProcess } from './supervised.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const freshFolder = () => mkdtempSync(join(tmpdir(), 'local-'));

function sleeper(): ChildProcess & { pid: number } {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  children.push(child);
  return child as ChildProcess & { pid: number };
}

const hasEnded = (child: ChildProcess) => () => child.exitCode !== null || child.signalCode !== null;

describe('endLeftovers', () => {
  const common = {
    name: 'x',
    kind: 'service' as const,
    command: ['x'],
    stopSignal: 'SIGTERM' as const,
    stopWithinMs: 2_000,
  };

  it('stops a recorded process', async () => {
    const [runDir, child] = [freshFolder(), sleeper()];
    writeRecord(runDir, { ...common, pid: child.pid });
    expect(await endLeftovers(runDir)).toEqual(['x']);
    expect(await becomesTrue(hasEnded(child), { withinMs: 30_000 })).toBe(true);
    expect(readRecords(runDir)).toEqual([]);
  });

  it('does not stop another process with a reused pid', async () => {
    const [runDir, child] = [freshFolder(), sleeper()];
    writeRecord(runDir, { ...common, pid: child.pid });
    const file = join(runDir, 'x.process.json');
    const record = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...record, startTime: record.startTime - 1 }));
    expect(await endLeftovers(runDir)).toEqual([]);
    expect(hasEnded(child)()).toBe(false);
  });
});

describe('claimFolder', () => {
  it('lets only one process claim a folder until it is released', async () => {
    const dir = freshFolder();
    const claim = await claimFolder(dir);
    expect(holderOf(dir)?.pid).toBe(process.pid);
    expect(await claimFolder(dir)).toBeUndefined();
    claim?.release();
    expect(await claimFolder(dir)).toBeDefined();
  });

  it('takes over from a dead holder', async () => {
    const dir = freshFolder();
    (await claimFolder(dir))?.release();
    writeFileSync(join(dir, 'run/holder.json'), JSON.stringify({ pid: process.pid, startTime: 1, bootId: 'another' }));
    expect(await claimFolder(dir)).toBeDefined();
  });
});

describe('SupervisedProcess', () => {
  const supervise = (script: string, change: Partial<ProcessSpec> = {}) => {
    const events: string[] = [];
    const lines: string[] = [];
    const spec: ProcessSpec = {
      name: 'it',
      kind: 'service',
      command: [process.execPath, '-e', script],
      env: {},
      cwd: tmpdir(),
      isReady: async () => lines.includes('ready'),
      readyWithinMs: 30_000,
      stopSignal: 'SIGTERM',
      stopWithinMs: 2_000,
      output: (line) => lines.push(line),
      ...change,
    };
    const handlers = { died: (reason: string) => events.push(reason), back: () => events.push('back') };
    const runDir = freshFolder();
    return { events, runDir, process: new SupervisedProcess(spec, { runDir, events: handlers }) };
  };
  const running = 'console.log("ready"); setInterval(() => {}, 1000)';
  const pidIn = (runDir: string) => readRecords(runDir)[0]?.pid as number;

  it('restarts a killed process, until stop', async () => {
    const { events, runDir, process: it } = supervise(running);
    await it.start();
    process.kill(pidIn(runDir), 'SIGKILL');
    expect(await becomesTrue(() => events.includes('back'), { withinMs: 30_000 })).toBe(true);
    const pid = pidIn(runDir);
    await it.stop();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect(readRecords(runDir)).toEqual([]);
  });

  it('reports why a process did not start, with its last output lines', async () => {
    const { process: it } = supervise('console.log("one"); console.error("two"); process.exit(3)');
    const failure = await it.start().catch((error) => error);
    expect(failure).toBeInstanceOf(CommandError);
    expect(failure.message).toBe('it exited with code 3 while starting.');
    expect(failure.lines.toSorted()).toEqual(['one', 'two']);
  });

  it('kills a process that ignores the stop signal', async () => {
    const { runDir, process: it } = supervise(`process.on('SIGTERM', () => {}); ${running}`, { stopWithinMs: 100 });
    await it.start();
    const pid = pidIn(runDir);
    await it.stop();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });
});

describe('settings of the fleet', () => {
  const stores = {
    adminDatabaseUrl: 'postgres://admin:secret@db.example:5433/postgres?sslmode=require',
    redisUrl: 'redis://:r@127.0.0.1:1',
    amqpUrl: 'amqp://a:b@127.0.0.1:2',
  };

  it('are generated once and readable only by their owner', () => {
    const file = join(freshFolder(), 'secrets.json');
    const secrets = loadSecrets(file);
    expect(loadSecrets(file)).toEqual(secrets);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(secrets.INTERNAL_SECRETS).toMatch(/^k1:[0-9a-f]{64}$/);
    expect(secrets.KEY_PEPPER).toMatch(/^k1:[0-9a-f]{64}$/);
    expect(Buffer.from(secrets.ENCRYPTION_KEY.replace('k1:', ''), 'base64')).toHaveLength(32);
    expect(secrets.JWT_PRIVATE_KEY).toMatch(/^k1:-----BEGIN PRIVATE KEY-----/);
    expect(new Set(secrets.IDS_ALPHABET).size).toBe(62);
  });

  it('give each service its own role and all URLs, but never the administrator URL', () => {
    const secrets = loadSecrets(join(freshFolder(), 'secrets.json'));
    const members = [
      { name: 'gateway', entry: 'g', nodeFlags: [], hasDatabase: false },
      { name: 'api-crm', entry: 'c', nodeFlags: [], hasDatabase: true },
    ];
    const environment = fleetEnvironment({ members, stores, secrets, ports: { gateway: 8080, 'api-crm': 9000 } });
    const crm = environment['api-crm'] as Record<string, string>;
    const url = new URL(crm['DATABASE_URL'] as string);
    expect([url.username, url.host, url.pathname, url.search]).toEqual([
      'tandem_api_crm_app',
      'db.example:5433',
      '/tandem_api_crm',
      '?sslmode=require',
    ]);
    expect(crm).toMatchObject({
      GATEWAY_URL: 'http://127.0.0.1:8080',
      API_CRM_URL: 'http://127.0.0.1:9000',
      PORT: '9000',
    });
    expect(environment['gateway']).not.toHaveProperty('DATABASE_URL');
    const all = JSON.stringify(environment);
    expect(all).not.toContain('admin:secret');
    expect(all).not.toContain(secrets.ROLE_SECRET);
  });

  it('report a file that is not JSON', () => {
    const file = join(freshFolder(), 'secrets.json');
    writeFileSync(file, '{"KEY_PEP');
    expect(() => loadSecrets(file)).toThrow('is not valid JSON');
  });
});

describe('a member leased to npm run dev', () => {
  it('is leased to one command at a time, and again after it was returned', async () => {
    const path = join(freshFolder(), 'control.sock');
    const log: string[] = [];
    const server = serveControl(
      {
        release: async (member) => void log.push(`release ${member}`),
        takeBack: async (member) => void log.push(`take back ${member}`),
      },
      path,
    );
    const first = await lease('crm', path);
    await expect(lease('crm', path)).rejects.toThrow('another npm run dev is already running it');
    expect(log).toEqual(['release crm']);
    await (await lease('identity', path)).giveBack();
    await first.giveBack();
    await becomesTrue(() => log.includes('take back crm'), { withinMs: 30_000 });
    await (await lease('crm', path)).giveBack();
    server.close();
  });

  it('reports a fleet that is starting or stopping', async () => {
    await expect(lease('crm', join(freshFolder(), 'control.sock'))).rejects.toThrow(
      'crm could not be taken over: the fleet is starting or stopping; try again in a few seconds.',
    );
  });
});

describe('the user’s own store', () => {
  const start = (postgres: string) =>
    startPostgres({ dir: freshFolder(), log: () => undefined, external: { postgres } }).catch(({ message }) => message);

  it('is reported with its setting if nothing listens there', async () => {
    expect(await start('postgresql://user:secret@127.0.0.1:1/postgres')).toBe(
      'Cannot connect to PostgreSQL at 127.0.0.1:1 (DATABASE_URL): connection refused.',
    );
  });

  it.each(['nonsense', 'amqp://127.0.0.1:1'])('is rejected if %s is its URL', async (address) => {
    expect(await start(address)).toBe(
      'DATABASE_URL must be a URL of PostgreSQL: DATABASE_URL=postgresql://user:password@host:port',
    );
  });
});

describe('output for people', () => {
  it('shows a log line with its status, time and request', () => {
    const line = JSON.stringify({
      level: 'info',
      service: 'crm',
      message: 'request',
      status: 201,
      ms: 3.5,
      requestId: 'req_1',
      operation: 'createLead',
    });
    expect(readable('crm', line)).toMatch(/crm +\S*info \S* *request .*201.*3\.5 ms.*operation=createLead.*req_1/);
  });

  it('shows other lines unchanged, and lines of the supervisor like log lines', () => {
    expect(readable('crm', 'Warning: odd {"')).toContain('Warning: odd {"');
    expect(readable('crm', ownLine('crm is back'))).toContain('crm is back');
  });

  it('explains common system errors without a stack', () => {
    expect(explain(Object.assign(new Error('x'), { code: 'ENOSPC' }))).toContain('The disk is full');
    expect(explain(Object.assign(new Error('x'), { code: 'EACCES', path: 'p' }))).toContain('(p)');
    expect(explain(new Error('one\n  at two'))).toBe('one');
    expect(explain(Object.assign(new Error('permission denied to alter role'), { code: '42501' }))).toBe(
      'The user of DATABASE_URL requires the privileges CREATEDB and CREATEROLE: permission denied to alter role.',
    );
    expect(explain(Object.assign(new Error('x'), { code: '28P01' }))).toContain(
      'rejected the user or password of DATABASE_URL',
    );
  });
});
