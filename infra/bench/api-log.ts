import { join } from 'node:path';
import { createIdCodec } from '@tandem/ids';
import { readRecords } from '../local/records.ts';
import { formatNumber, median } from './numbers.ts';
import { startNginx } from './peers.ts';
import type { Place } from './place.ts';
import { cpuSeconds, pin } from './processes.ts';
import { sampleReference } from './reference.ts';
import type { Row } from './results.ts';
import { type Load, type Measured, runLoad } from './wrk.ts';

const connections = 32;
const warmSeconds = 4;
const warmRounds = 3;
const roundSeconds = 2;
const rounds = 20;
const costMax = 0.03;
const measuredCore = 0;
const otherCore = 1;
const gateways = ['logged', 'unlogged'] as const;
type Gateway = (typeof gateways)[number];
type Run = Measured & { cpuMicroseconds: number };

/**
 * Compares two processes of the gateway on one core, one of which reports calls for the API log, in turns. The upstream, which
 * also receives the batches, stores, identity and the load generator share the other core.
 */
export async function measureApiLog(place: Place): Promise<Row[]> {
  const { processes, log } = place;
  for (const name of ['identity', 'gateway']) await place.startMember(name);
  const tenant = await place.aTenant();
  const codec = createIdCodec(place.secrets.IDS_ALPHABET);
  const tenantId = codec.decode('tenant', undefined, tenant.id) as number;
  await processes.stop('gateway');
  for (const { pid } of readRecords(join(place.dir, 'run'))) pin(pid, String(otherCore));

  const upstreamPort = await place.ports.get('bench-upstream');
  await startNginx(place, 'upstream', { ports: { upstream: upstreamPort }, key: tenant.live, tenantId });
  const services = place.members
    .map(({ name }) => `${name.toUpperCase()}_URL`)
    .filter((name) => name !== 'IDENTITY_URL' && name !== 'GATEWAY_URL');
  const origins = Object.fromEntries(services.map((name) => [name, `http://127.0.0.1:${upstreamPort}`]));
  const ports = {} as Record<Gateway, number>;
  for (const name of gateways) {
    ports[name] = await place.ports.get(`bench-${name}`);
    await place.startMember('gateway', {
      as: name,
      core: measuredCore,
      settings: { ...origins, PORT: String(ports[name]), OPS_PORT: '0', API_LOG: String(name === 'logged') },
    });
  }

  const path = `/v1/leads/${codec.encode('lead', tenantId, 4711)}`;
  const load = async (name: Gateway, seconds: number, more: Partial<Load> = {}): Promise<Run> => {
    const before = cpuSeconds(processes.pid(name));
    const run = await runLoad(place.programs, {
      url: `http://127.0.0.1:${ports[name]}${path}`,
      seconds,
      connections,
      headers: { 'X-API-Key': tenant.live },
      core: otherCore,
      ...more,
    });
    return { ...run, cpuMicroseconds: ((cpuSeconds(processes.pid(name)) - before) / run.answers) * 1e6 };
  };
  const creating = (name: Gateway, round: number): Partial<Load> => ({
    url: `http://127.0.0.1:${ports[name]}/v1/leads`,
    script: 'create-lead.lua',
    env: { RUN: `${name}${round}` },
  });
  const [reads, creates] = [perGateway(), perGateway()];
  for (const name of gateways)
    for (let round = 0; round < warmRounds; round++) {
      await load(name, warmSeconds);
      await load(name, warmSeconds, creating(name, -1));
    }
  for (let round = 0; round < rounds; round++) {
    log(`API log, round ${round + 1} of ${rounds}`);
    sampleReference();
    // The first one of a round changes, because the second one can profit from a warm cache.
    for (const name of round % 2 ? gateways : gateways.toReversed()) {
      reads[name].push(await load(name, roundSeconds));
      creates[name].push(await load(name, roundSeconds, creating(name, round)));
    }
  }
  await processes.stop(...gateways, 'upstream');
  const cost = ratioOf(reads, ({ cpuMicroseconds }) => cpuMicroseconds) - 1;
  return [
    {
      id: 'api-log',
      what: 'Processor time of the gateway for the API log',
      goal: `≤ ${costMax * 100} %`,
      reached: `${(cost * 100).toFixed(1)} %`,
      detail: `${detailOf('reading a lead', reads)}; ${detailOf('creating a lead', creates)}`,
      isReached: cost <= costMax,
    },
  ];
}

function perGateway(): Record<Gateway, Run[]> {
  return { logged: [], unlogged: [] };
}

/** The median of the ratios of the rounds, with the log against without it. */
function ratioOf({ logged, unlogged }: Record<Gateway, Run[]>, value: (run: Run) => number): number {
  return median(logged.map((run, round) => value(run) / value(unlogged[round] as Run)));
}

function detailOf(what: string, runs: Record<Gateway, Run[]>): string {
  const micros = (name: Gateway) => formatNumber(median(runs[name].map((run) => run.cpuMicroseconds)));
  const speed = ratioOf(runs, ({ perSecond }) => perSecond).toFixed(3);
  const cost = ratioOf(runs, ({ cpuMicroseconds }) => cpuMicroseconds).toFixed(3);
  return `${what}: ${micros('logged')} against ${micros('unlogged')} µs (${cost} ×), requests/s ${speed} ×`;
}
