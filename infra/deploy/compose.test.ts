import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { findMembers, gatewayName } from '@tandem/local/members';
import { createLog, createServerDrain, shutdownLimits } from '@tandem/process';
import { parse } from 'yaml';
import { applyStep, fillIn } from './env.ts';

interface ComposeService {
  deploy?: { replicas: string };
  command?: string[];
  container_name?: string;
  build?: { args: { MEMBER: string }; target?: string };
  environment: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  networks: string[];
  ports?: string[];
  profiles?: string[];
  mem_limit?: string;
  restart?: string;
  stop_grace_period?: string;
  healthcheck?: object;
}

const root = resolve(import.meta.dirname, '../..');
const text = (file: string) => readFileSync(join(root, file), 'utf8');
const composeFile = text('docker-compose.yml');
const example = text('.env.example');
const { services } = parse(composeFile, { merge: true }) as { services: Record<string, ComposeService> };
const members = findMembers(root).map(({ name, entry }) => ({
  name,
  dir: relative(root, resolve(dirname(entry), '..')),
}));

/** The environment of a container, with the values of .env interpolated. */
function environmentOf(service: string, env: NodeJS.Dict<string>): Record<string, string> {
  const written = Object.entries(services[service]?.environment ?? {});
  return Object.fromEntries(written.map(([name, value]) => [name, interpolated(String(value), env)]));
}

function interpolated(value: string, env: NodeJS.Dict<string>): string {
  return value.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    if (!env[name] && kind === '?') throw new Error(`${name} ${rest}`);
    return env[name] || rest;
  });
}

/** Reads the settings as the member does at startup; returns the error output, or ''. */
function settingsErrors(dir: string, settings: Record<string, string>): string {
  const script = `
    const config = await import('./src/config.ts');
    config.readSettings?.();
    config.readOrigins?.(Object.keys((await import('./src/contracts.ts')).fleet));`;
  const image = { NODE_ENV: 'production', HOST: '0.0.0.0', PORT: '8080', OPS_PORT: '9090' };
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(root, dir),
    env: { ...image, ...settings },
    encoding: 'utf8',
  });
  return status === 0 ? '' : stderr;
}

describe('docker-compose.yml', () => {
  const env = parseEnv(fillIn(example, {}));

  it('has a container for the gateway and for every service', () => {
    const built = Object.entries(services).map(([name, { build }]) => [name, build?.args.MEMBER]);
    for (const { name, dir } of members) expect(built).toContainEqual([name, dir]);
  });

  it.each(members)('gives $name every setting that it reads at startup', ({ name, dir }) => {
    expect(settingsErrors(dir, environmentOf(name, env))).toBe('');
  });

  it('gives every service the URL of every other one, and starts the gateway after all services', () => {
    const others = members.filter(({ name }) => name !== gatewayName).map(({ name }) => name);
    for (const name of others) {
      const address = [`${name.replaceAll('-', '_').toUpperCase()}_URL`, `http://${name}:8080`];
      for (const { name: reader } of members)
        expect(Object.entries(environmentOf(reader, env))).toContainEqual(address);
      expect(services[gatewayName]?.depends_on?.[name]?.condition).toBe('service_healthy');
      expect(services[name]?.depends_on?.['migrate']?.condition).toBe('service_completed_successfully');
    }
  });

  it('refuses to start without a secret, and .env.example lists all of them', () => {
    const required = new Set([...composeFile.matchAll(/\$\{(\w+):\?/g)].map((match) => match[1]));
    expect(new Set(Object.keys(parseEnv(example)))).toEqual(required);
    expect(Object.values(parseEnv(example)).filter(Boolean)).toEqual([]);
    expect(composeFile).not.toMatch(/\$\{\w+\}|\$\w/);
  });

  it('publishes one port, and gives only services with external calls internet access', () => {
    const named = Object.entries(services).filter(([, { profiles }]) => !profiles);
    expect(named.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual([gatewayName]);
    const outside = named.filter(([, { networks }]) => networks.includes('outside')).map(([name]) => name);
    // AI generation and searches by meaning call a provider; webhooks go to any host; identity, analytics, files and partner send mail.
    expect(outside.sort()).toEqual([
      'agents',
      'analytics',
      'campaign',
      'crm',
      'files',
      gatewayName,
      'identity',
      'integrations',
      'partner',
      'search',
    ]);
  });

  it('runs REPLICAS replicas of the gateway and of each service', () => {
    const replicasOf = (name: string, REPLICAS?: string) =>
      interpolated(services[name]?.deploy?.replicas ?? 'none', { REPLICAS });
    for (const { name } of members) {
      expect([name, replicasOf(name), replicasOf(name, '2')]).toEqual([name, '1', '2']);
      // A fixed container name would allow only one replica.
      expect(services[name]?.container_name).toBeUndefined();
      expect(services[name]?.ports?.map((port) => interpolated(port, { PORT: '8080-8081' })) ?? []).toEqual(
        name === gatewayName ? ['8080-8081:8080'] : [],
      );
    }
    const stores = Object.keys(services).filter((name) => !members.some((member) => member.name === name));
    expect(stores.filter((name) => services[name]?.deploy)).toEqual([]);
  });

  it('has PostgreSQL connections for two replicas of every service', () => {
    // The migration, operators and the superuser's reserve (superuser_reserved_connections, 3 by default).
    const others = 20;
    const connectionsOf = (name: string) => {
      const { DATABASE_POOL_MAX, RELAY_DATABASE_POOL_MAX } = environmentOf(name, env);
      return Number(DATABASE_POOL_MAX ?? 0) + Number(RELAY_DATABASE_POOL_MAX ?? 0);
    };
    const taken = members.map(({ name }) => connectionsOf(name)).reduce((sum, connections) => sum + connections);
    expect(taken).toBeGreaterThan(0);
    const max = Number(/max_connections=(\d+)/.exec(services['postgres']?.command?.join(' ') ?? '')?.[1]);
    expect(2 * taken + others).toBeLessThanOrEqual(max);
  });

  it('gives every process more time to stop than its shutdown may take, and so does the advice for Kubernetes', () => {
    const stopMs = (name: string, delayMs: number) => {
      const { readinessMs, requestsMs: _, usageMs, opsMs, ...ofService } = shutdownLimits;
      const requests = createServerDrain().stopServer(createServer(), { delayMs, log: createLog('test') });
      const others = name === gatewayName ? [usageMs, opsMs] : Object.values(ofService);
      return [requests.withinMs, ...others].reduce((sum, ms) => sum + ms, readinessMs);
    };
    const advice = /`SHUTDOWN_DELAY_MS=(\d+)` and a termination grace period of (\d+) s/.exec(text('README.md'));
    const [delayMs, graceSeconds] = [Number(advice?.[1]), Number(advice?.[2])];
    for (const { name } of members) {
      const delayHereMs = Number(environmentOf(name, env)['SHUTDOWN_DELAY_MS'] ?? 0);
      expect(stopMs(name, delayHereMs)).toBeLessThan(
        1_000 * Number.parseInt(services[name]?.stop_grace_period ?? '10s', 10),
      );
      expect(stopMs(name, delayMs)).toBeLessThan(1_000 * graceSeconds);
    }
    const named = /take at most (\d+) s in a service/.exec(text('packages/process/src/shutdown.ts'))?.[1];
    expect(stopMs('crm', 0)).toBe(1_000 * Number(named));
  });

  it('exposes dashboards and traces only on this machine and only on request', () => {
    const optional = Object.entries(services).filter(([, { profiles }]) => profiles);
    expect(optional.map(([name]) => name).sort()).toEqual(['grafana', 'jaeger', 'prometheus']);
    const ports = optional.flatMap(([, service]) => service.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('limits the memory of each container, and restarts each except for the migration', () => {
    for (const [name, { mem_limit, restart }] of Object.entries(services)) {
      expect([name, typeof mem_limit]).toEqual([name, 'string']);
      expect([name, restart]).toEqual([name, name === 'migrate' ? 'no' : 'unless-stopped']);
    }
  });
});

describe('.env', () => {
  it('keeps existing settings, and gets missing ones', () => {
    const first = parseEnv(fillIn(example, {}));
    const { CRM_DATABASE_URL: url, KEY_PEPPER: _, ...rest } = first;
    const { KEY_PEPPER: pepper, ...again } = parseEnv(fillIn(example, rest));
    expect(again).toEqual({ ...rest, CRM_DATABASE_URL: url });
    expect(pepper).toMatch(/^k1:[0-9a-f]{64}$/);
  });

  it('derives every database URL from the administrator URL', () => {
    const ADMIN_DATABASE_URL = 'postgres://admin:secret@db.example.com:5433/postgres?sslmode=require';
    const { CRM_RELAY_DATABASE_URL: url } = parseEnv(fillIn(example, { ADMIN_DATABASE_URL }));
    expect(url).toMatch(/^postgres:\/\/tandem_crm_relay:[^@]+@db\.example\.com:5433\/tandem_crm\?sslmode=require$/);
  });
});

describe('a secret in .env', () => {
  const names = ['INTERNAL_SECRETS', 'KEY_PEPPER', 'ENCRYPTION_KEY', 'JWT_PRIVATE_KEY', 'SIGNING_KEY'];
  /** The settings after one step, written to .env and read back. */
  const after = (step: string, name: string, env: NodeJS.Dict<string>) =>
    parseEnv(fillIn(example, { ...env, [name]: applyStep(step, name, env[name]) }));
  const ids = (setting: string | undefined) => [...(setting ?? '').matchAll(/(?:^|,)(\w+):/g)].map((match) => match[1]);

  const afterEvery = (step: string, env: NodeJS.Dict<string>) =>
    names.reduce((settings, name) => after(step, name, settings), env);
  const expectAccepted = (env: NodeJS.Dict<string>) => {
    for (const { name, dir } of members.filter((one) => ['gateway', 'identity', 'files'].includes(one.name)))
      expect(settingsErrors(dir, environmentOf(name, env))).toBe('');
  };

  it('is rotated in three steps, each of which every process accepts', () => {
    const env = parseEnv(fillIn(example, {}));
    const added = afterEvery('add', env);
    const promoted = afterEvery('promote', added);
    const retired = afterEvery('retire', promoted);
    for (const name of names) {
      expect([env, added, promoted, retired].map((one) => ids(one[name]))).toEqual([
        ['k1'],
        ['k1', 'k2'],
        ['k2', 'k1'],
        ['k2'],
      ]);
      expect(ids(after('add', name, retired)[name])).toEqual(['k2', 'k3']);
      const others = after('add', name, env);
      expect({ ...others, [name]: '' }).toEqual({ ...env, [name]: '' });
    }
    expectAccepted(added);
    expectAccepted(promoted);
  });

  it('may have no id, as in an existing .env', () => {
    const first = parseEnv(fillIn(example, {}));
    const bare = Object.fromEntries(names.slice(1).map((name) => [name, first[name]?.replace('k1:', '')]));
    const env = { ...first, ...bare };
    expect(parseEnv(fillIn(example, env))).toEqual(env);
    expectAccepted(env);
    const promoted = afterEvery('promote', afterEvery('add', env));
    expect(names.map((name) => ids(promoted[name])[0])).toEqual(names.map(() => 'k2'));
    expectAccepted(promoted);
  });

  it('is never removed if it is the only value, and IDS_ALPHABET is never rotated', () => {
    const env = parseEnv(fillIn(example, {}));
    for (const step of ['promote', 'retire']) expect(() => after(step, 'KEY_PEPPER', env)).toThrow('only one value');
    expect(() => after('add', 'IDS_ALPHABET', env)).toThrow('cannot be rotated');
    expect(() => after('rotate', 'KEY_PEPPER', env)).toThrow('Unknown step');
  });
});

describe('Dockerfile', () => {
  it('uses the same versions of pnpm and Node as the workspace', () => {
    const dockerfile = text('infra/deploy/Dockerfile');
    const pnpm = /pnpmVersion = '([^']+)'/.exec(text('infra/local/install.mjs'))?.[1];
    const node = JSON.parse(text('package.json')).devDependencies.node.split('.')[0];
    expect(dockerfile).toContain(`pnpm@${pnpm}\n`);
    expect(dockerfile).toContain(`ARG NODE_IMAGE=node:${node}-`);
  });
});
