import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { analyze } from './analyze.ts';
import { countCost } from './cost.ts';
import { measureEventLatency } from './latency.ts';
import { type Memory, memoryByProcess } from './memory.ts';
import { formatNumber, median } from './numbers.ts';
import type { Place } from './place.ts';
import { sampleReference } from './reference.ts';
import type { Row } from './results.ts';
import { type Load, type Measured, runLoad } from './wrk.ts';

const connections = 32;
const warmSeconds = 4;
const roundSeconds = 6;
const rounds = 3;
const idleMs = 10_000;
const sampleMs = 250;
const drainTimeoutMs = 120_000;
const pathsMax = 5_000;
const memoryGoalMb = 1_600;

/** Measures the whole fleet on real stores: its idle memory, events at a low rate, creates, gets and lists. */
export async function measureFleet(place: Place): Promise<{ rows: Row[]; memory: Memory[] }> {
  const { log } = place;
  await Promise.all(place.members.map(({ name }) => place.startMember(name)));
  log('fleet ready; waiting until it is idle');
  await pause(idleMs);
  const memory = memoryByProcess(join(place.dir, 'run'));
  const total = memory.reduce((all, { pss }) => all + pss, 0);
  const rows: Row[] = [
    {
      id: 'memory',
      what: 'Idle memory of fleet and stores',
      goal: `≤ ${memoryGoalMb} MB`,
      reached: `${formatNumber(total)} MB`,
      isReached: total <= memoryGoalMb,
    },
  ];

  const tenant = await place.aTenant();
  const headers = { 'X-API-Key': tenant.live };
  const url = `${place.baseUrl}/v1/leads`;
  const crmDatabase = new pg.Client({ connectionString: place.databaseUrl('crm') });
  await crmDatabase.connect();
  try {
    log('event latency');
    rows.push(await measureEventLatency(place, tenant));
    log('create lead');
    rows.push(...(await measureCreates(place, { url, headers, connections, seconds: roundSeconds }, crmDatabase)));
    await analyze(place);
    const { rows: leads } = await crmDatabase.query<{ count: number }>('SELECT count(*)::int AS count FROM lead');
    const stored = leads[0]?.count as number;
    const paths = join(place.dir, 'tmp/lead-paths');
    writeFileSync(paths, await leadPaths(tenant));
    const get: Load = {
      url: place.baseUrl,
      headers,
      connections,
      seconds: roundSeconds,
      script: 'get-lead.lua',
      env: { PATHS: paths },
    };
    rows.push(await measureRounds(place, 'get', `Get lead (${formatNumber(stored)} stored)`, 4_000, get));
    rows.push(
      await measureRounds(place, 'list', 'List of 20 leads', 1_500, {
        url: `${url}?limit=20`,
        headers,
        connections,
        seconds: roundSeconds,
      }),
    );
  } finally {
    await crmDatabase.end();
  }
  return { rows, memory };
}

async function measureRounds(place: Place, id: string, what: string, goal: number, load: Load): Promise<Row> {
  place.log(what);
  await runLoad(place.programs, { ...load, seconds: warmSeconds });
  const cost = countCost(place);
  const runs: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    sampleReference();
    runs.push(await runLoad(place.programs, load));
  }
  return speedRow(id, what, goal, runs, cost(runs));
}

function speedRow(id: string, what: string, goal: number, runs: Measured[], cost: string): Row {
  const perSecond = median(runs.map((run) => run.perSecond));
  const [p50, p99] = [median(runs.map((run) => run.p50)), median(runs.map((run) => run.p99))];
  return {
    id,
    what,
    goal: `≥ ${formatNumber(goal)}/s`,
    reached: `${formatNumber(perSecond)}/s`,
    detail: `p50 ${formatNumber(p50)} ms, p99 ${formatNumber(p99)} ms; ${cost}`,
    isReached: perSecond >= goal,
  };
}

/** Creates leads in rounds; after each round, measures the time until every event has reached its consumer. */
async function measureCreates(place: Place, load: Load, database: pg.Client): Promise<Row[]> {
  const create = (seconds: number) =>
    runLoad(place.programs, {
      ...load,
      seconds,
      script: 'create-lead.lua',
      env: { RUN: randomBytes(4).toString('hex') },
    });
  await create(warmSeconds);
  await drain(database);
  await analyze(place);
  const cost = countCost(place);
  const runs: Measured[] = [];
  const outbox: { depth: number; age: number; emptyAfter: number; consumedAfter: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const sampler = sampleOutbox(database);
    runs.push(await create(load.seconds));
    const { depth, age } = await sampler.stop();
    outbox.push({ depth, age, ...(await drain(database)) });
  }
  const worst = (read: (one: (typeof outbox)[number]) => number) => Math.max(...outbox.map(read));
  const [age, emptyAfter, consumedAfter] = [
    worst((one) => one.age),
    worst((one) => one.emptyAfter),
    worst((one) => one.consumedAfter),
  ];
  return [
    speedRow('create', 'Create lead', 800, runs, cost(runs)),
    {
      id: 'outbox',
      what: 'Outbox while leads are created',
      goal: 'no backlog',
      isReached: age < 1 && emptyAfter < 1,
      reached: `oldest event ${formatNumber(age * 1_000)} ms`,
      detail: `at most ${formatNumber(worst((one) => one.depth))} events waiting; empty ${formatNumber(emptyAfter)} s after the last create; consumed by crm after ${formatNumber(consumedAfter)} s`,
    },
  ];
}

function sampleOutbox(database: pg.Client) {
  let [depth, age, running] = [0, 0, true];
  const work = (async () => {
    while (running) {
      const { rows } = await database.query<{ depth: number; age: number }>(outboxSql);
      depth = Math.max(depth, rows[0]?.depth ?? 0);
      age = Math.max(age, rows[0]?.age ?? 0);
      await pause(sampleMs);
    }
  })();
  return {
    async stop() {
      running = false;
      await work;
      return { depth, age };
    },
  };
}

const outboxSql =
  'SELECT count(*)::int AS depth, coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float AS age FROM platform.outbox';
const consumedSql = `SELECT (SELECT count(*) FROM lead) <= (SELECT count(*) FROM platform.inbox WHERE consumer = 'detect-duplicates') AS done`;

/** Waits until the outbox is empty and crm's own consumer has processed every lead. */
async function drain(database: pg.Client): Promise<{ emptyAfter: number; consumedAfter: number }> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  let emptyAfter: number | undefined;
  while (performance.now() - startedAt < drainTimeoutMs) {
    if (emptyAfter === undefined && (await database.query(outboxSql)).rows[0].depth === 0) emptyAfter = seconds();
    if (emptyAfter !== undefined && (await database.query(consumedSql)).rows[0].done)
      return { emptyAfter, consumedAfter: seconds() };
    await pause(20);
  }
  throw new Error('The events of the creates were not consumed within two minutes');
}

async function leadPaths({ api }: Awaited<ReturnType<Place['aTenant']>>): Promise<string> {
  const paths: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.listLeads({ query: { limit: 100, ...(cursor && { cursor }) } });
    paths.push(...page.data.map((lead) => `/v1/leads/${lead.id}`));
    cursor = page.pagination?.nextCursor ?? undefined;
  } while (cursor && paths.length < pathsMax);
  return paths.join('\n');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
