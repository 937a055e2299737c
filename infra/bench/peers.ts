import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIdCodec } from '@tandem/ids';
import { readSecretList } from '@tandem/secrets';
import { readRecords } from '../local/records.ts';
import { formatNumber, median } from './numbers.ts';
import { inRoots, type PeerPrograms } from './packages.ts';
import type { Place } from './place.ts';
import { cpuSeconds, pin } from './processes.ts';
import { sampleReference } from './reference.ts';
import type { Row } from './results.ts';
import { type Load, type Measured, runLoad } from './wrk.ts';

const connections = 32;
// Each peer answers this many requests first, so that JIT-compiled code is compared.
const warmAnswers = 20_000;
const warmSeconds = 4;
const warmRoundsMax = 8;
const roundSeconds = 2;
const rounds = 15;
// Latency is compared at this share of the highest rate. At the highest rate itself it shows only how many requests wait.
const pacedShare = 0.7;
const pacedConnections = 64;
const pacedRounds = 5;
const pacedSeconds = 4;
const pacedRatioMax = 2;
const measuredCore = 0;
const otherCore = 1;
const peers = ['gateway', 'bare', 'lua', 'express'] as const;
type Peer = (typeof peers)[number];

interface Run extends Measured {
  /** CPU time per request, which stays comparable on a busy machine. */
  cpuMicroseconds: number;
}

/**
 * Compares the gateway with all checks enabled to alternatives, one core each. Upstream, stores, identity and load
 * generator share another core. Rounds alternate, so that a slow moment of the machine affects all peers.
 */
export async function measurePeers(place: Place): Promise<Row[]> {
  const { processes, log, environment } = place;
  const running = readRecords(join(place.dir, 'run'));
  if (!running.some(({ name }) => name === 'identity')) await place.startMember('identity');
  // Creating a tenant needs the complete gateway; the measured gateway is started afresh.
  if (!running.some(({ name }) => name === 'gateway')) await place.startMember('gateway');
  const tenant = await place.aTenant();
  const codec = createIdCodec(place.secrets.IDS_ALPHABET);
  const tenantId = codec.decode('tenant', undefined, tenant.id) as number;
  const path = `/v1/leads/${codec.encode('lead', tenantId, 4711)}`;
  await processes.stop(...place.members.map(({ name }) => name).filter((name) => name !== 'identity'));
  for (const { pid } of readRecords(join(place.dir, 'run'))) pin(pid, String(otherCore));

  const ports = Object.fromEntries(
    await Promise.all(
      ['upstream', 'bare', 'lua', 'express'].map(
        async (name) => [name, await place.ports.get(`bench-${name}`)] as const,
      ),
    ),
  );
  const upstream = `http://127.0.0.1:${ports['upstream']}`;
  await startNginx(place, 'upstream', { ports, key: tenant.live, tenantId });
  const services = place.members
    .map(({ name }) => `${name.toUpperCase()}_URL`)
    .filter((name) => name !== 'IDENTITY_URL' && name !== 'GATEWAY_URL');
  await place.startMember('gateway', {
    core: measuredCore,
    settings: Object.fromEntries(services.map((name) => [name, upstream])),
  });
  await startNginx(place, 'bare', { ports, key: tenant.live, tenantId });
  await startNginx(place, 'lua', { ports, key: tenant.live, tenantId });
  const url = (peer: Peer) =>
    peer === 'gateway' ? `${place.baseUrl}${path}` : `http://127.0.0.1:${ports[peer]}${path}`;
  await processes.start({
    name: 'express',
    core: measuredCore,
    isReady: () => answers(url('express')),
    command: [process.execPath, '--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'peers/express.ts')],
    env: { ...environment['gateway'], UPSTREAM: upstream, PORT: String(ports['express']), NODE_ENV: 'production' },
  });

  const measured: Record<Peer, Run[]> = { gateway: [], bare: [], lua: [], express: [] };
  const load = async (peer: Peer, seconds: number, paced: Partial<Load> = {}): Promise<Run> => {
    const before = cpuSeconds(processes.pid(peer));
    const run = await runLoad(place.programs, {
      url: url(peer),
      seconds,
      connections,
      headers: { 'X-API-Key': tenant.live },
      core: otherCore,
      ...paced,
    });
    return { ...run, cpuMicroseconds: ((cpuSeconds(processes.pid(peer)) - before) / run.answers) * 1e6 };
  };
  for (const peer of peers) {
    let answers = 0;
    for (let round = 0; round < warmRoundsMax && answers < warmAnswers; round++)
      answers += (await load(peer, warmSeconds)).answers;
  }
  for (let round = 0; round < rounds; round++) {
    log(`gateway and peers, round ${round + 1} of ${rounds}`);
    sampleReference();
    for (const peer of peers) measured[peer].push(await load(peer, roundSeconds));
  }
  const paced: Record<'gateway' | 'lua', Run[]> = { gateway: [], lua: [] };
  for (let round = 0; round < pacedRounds; round++) {
    log(`latency at ${pacedShare * 100} % of the highest rate, round ${round + 1} of ${pacedRounds}`);
    for (const peer of ['gateway', 'lua'] as const)
      paced[peer].push(await load(peer, pacedSeconds, pacedLoad(measured[peer])));
  }
  await processes.stop('gateway', 'bare', 'lua', 'express', 'upstream');
  return [...rowsOf(measured), latencyRow(paced, measured)];
}

/** A load of `pacedShare` of the highest rate: more connections, each of which pauses between two requests. */
function pacedLoad(highest: Run[]): Partial<Load> {
  const rate = pacedShare * median(highest.map((one) => one.perSecond));
  // At this rate hardly any request waits for another, so a response takes about as long as its share of the processor.
  const responseMs = 1_000 / median(highest.map((one) => one.perSecond));
  const pauseMs = Math.max(1, Math.round((pacedConnections / rate) * 1_000 - responseMs));
  return { connections: pacedConnections, env: { PAUSE_MS: String(pauseMs) } };
}

function latencyRow(paced: Record<'gateway' | 'lua', Run[]>, highest: Record<Peer, Run[]>): Row {
  const p99 = (peer: 'gateway' | 'lua') => median(paced[peer].map((one) => one.p99));
  const ratio = median(paced.gateway.map((one, round) => one.p99 / (paced.lua[round] as Run).p99));
  const share = (peer: 'gateway' | 'lua') =>
    median(paced[peer].map((one) => one.perSecond)) / median(highest[peer].map((one) => one.perSecond));
  const detail = (peer: 'gateway' | 'lua') =>
    `${formatNumber(p99(peer))} ms at ${Math.round(share(peer) * 100)} % of its highest rate`;
  return {
    id: 'p99',
    what: `p99 of the gateway at ${pacedShare * 100} % load, against nginx + Lua`,
    goal: `≤ ${pacedRatioMax} ×`,
    reached: `${ratio.toFixed(2)} ×`,
    detail: `gateway ${detail('gateway')}; nginx + Lua ${detail('lua')}`,
    isReached: ratio <= pacedRatioMax,
  };
}

function rowsOf(measured: Record<Peer, Run[]>): Row[] {
  const speed = (peer: Peer) => median(measured[peer].map((one) => one.perSecond));
  // Compares the same round of both, because a slow machine affects both.
  const ratio = (peer: Peer) =>
    median(measured.gateway.map((one, round) => one.perSecond / (measured[peer][round] as Run).perSecond));
  const detail = (peer: Peer) => {
    const [p50, p99] = [median(measured[peer].map((one) => one.p50)), median(measured[peer].map((one) => one.p99))];
    return `${formatNumber(speed(peer))}/s, p50 ${formatNumber(p50)} ms, p99 ${formatNumber(p99)} ms, ${formatNumber(cpu(peer))} µs of CPU time per request`;
  };
  const cpu = (peer: Peer) => median(measured[peer].map((one) => one.cpuMicroseconds));
  const against = (id: Peer, what: string, goal?: number): Row => ({
    id,
    what: `Gateway against ${what}`,
    goal: goal ? `≥ ${goal.toFixed(1)} ×` : '',
    reached: `${ratio(id).toFixed(2)} ×`,
    detail: `by CPU time ${(cpu(id) / cpu('gateway')).toFixed(2)} ×; ${detail(id)}`,
    ...(goal && { isReached: ratio(id) >= goal }),
  });
  return [
    {
      id: 'gateway',
      what: 'Gateway on one core, all checks enabled',
      goal: '',
      reached: `${formatNumber(speed('gateway'))}/s`,
      detail: detail('gateway'),
    },
    against('lua', 'nginx + Lua with the same checks', 1),
    against('express', 'express + http-proxy-middleware without checks', 1),
    against('bare', 'nginx without checks'),
  ];
}

interface NginxOptions {
  ports: Record<string, number>;
  key: string;
  tenantId: number;
}

/** The current value of a secret, which the gateway signs and hashes with; peers use only this one. */
function currentValue(setting: string): string {
  return readSecretList(setting)[0].value;
}

/** Starts a configuration of nginx in `peers/`. */
export async function startNginx(
  place: Place,
  name: 'upstream' | 'bare' | 'lua',
  options: NginxOptions,
): Promise<void> {
  const { dir, programs, processes } = place;
  const redis = new URL(place.stores.redisUrl);
  const values: Record<string, string> = {
    dir,
    here: join(import.meta.dirname, 'peers'),
    body: leadReply(options.tenantId),
    key: options.key,
    ...Object.fromEntries(Object.entries(options.ports).map(([peer, port]) => [`${peer}Port`, String(port)])),
    redisPort: redis.port,
    redisPassword: redis.password,
    pepper: currentValue(place.secrets.KEY_PEPPER),
    alphabet: place.secrets.IDS_ALPHABET,
    secret: currentValue(place.secrets.INTERNAL_SECRETS),
    ...luaPaths(programs),
  };
  const template = readFileSync(join(import.meta.dirname, 'peers', `${name}.conf`), 'utf8');
  const file = join(dir, 'tmp', `${name}.conf`);
  mkdirSync(join(dir, 'tmp'), { recursive: true });
  writeFileSync(
    file,
    template.replace(/\{\{(\w+)\}\}/g, (_, key: string) => values[key] as string),
    { mode: 0o600 },
  );
  await processes.start({
    name,
    env: { ...programs.env, PATH: process.env['PATH'] },
    core: name === 'upstream' ? otherCore : measuredCore,
    command: [programs.nginx, '-c', file, '-p', dir],
    isReady: () => answers(`http://127.0.0.1:${options.ports[name]}/`),
  });
}

function luaPaths({ roots }: PeerPrograms): Record<string, string> {
  return {
    luaModules: inRoots(roots, 'usr/lib/nginx/modules') ?? '',
    luaPath: roots.map((root) => `${join(root, 'usr/share/lua/5.1/?.lua')};`).join(''),
    luaCPath: roots
      .map(
        (root) => `${join(root, `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/lua/5.1/?.so`)};`,
      )
      .join(''),
  };
}

/** A lead as crm returns it to the gateway: ids are decimal strings. */
function leadReply(tenantId: number): string {
  const timestamp = '2026-11-21T10:00:00.000Z';
  const data = {
    id: '4711',
    tenantId: String(tenantId),
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    phone: '+441632960001',
    source: 'web',
    status: 'new',
    allowedTransitions: ['contacted', 'qualified', 'unqualified'],
    score: 42,
    assignedTo: '17',
    customFields: { budget: 12_000, region: 'EMEA' },
    tags: ['vip', 'spring'],
    externalId: 'crm-0815',
    createdBy: '16',
    version: 1,
    createdAt: timestamp,
    updatedAt: timestamp,
    duplicateCount: 0,
  };
  return JSON.stringify({
    success: true,
    statusCode: 200,
    message: 'Lead retrieved',
    data,
    meta: { requestId: 'req_0123456789abcdef01234567', timestamp },
  });
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
