import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fleet as contracts } from '@tandem/gateway/contracts';
import { operations, type TestTenant } from '@tandem/test-fleet';
import { analyze } from './analyze.ts';
import { countCost } from './cost.ts';
import { median } from './numbers.ts';
import { type Call, groups } from './operation-calls.ts';
import type { Place } from './place.ts';
import { cpuByProcess } from './processes.ts';
import { sampleReference } from './reference.ts';
import type { Row } from './results.ts';
import { type Measured, runLoad } from './wrk.ts';

const connections = 16;
const fleetWarmSeconds = 5;
const coldSeconds = 1;
const warmSeconds = 2;
const seconds = 2;
const rounds = 3;
const goal = 300;
const idleCheckMs = 400;
const idleChecksMax = 100;
// Ten idle services and three idle stores use about an eighth of a core.
const idleShareMax = 0.3;

/**
 * Measures every operation that the specification shows, one by one, through the gateway.
 * @param only names of operations (`convertLead`); all if empty
 */
export async function measureOperations(place: Place, only: readonly string[] = []): Promise<Row[]> {
  await Promise.all(place.members.map(({ name }) => place.startMember(name)));
  const tenant = await place.aTenant();
  const rows: Row[] = [];
  place.log('warming up');
  const { live } = tenant;
  await runLoad(place.programs, {
    url: `${place.baseUrl}/v1/leads`,
    headers: { 'X-API-Key': live },
    connections,
    seconds: fleetWarmSeconds,
  });
  const isWanted = (operation: string) => !only.length || only.includes(operation);
  for (const { services, make } of groups) {
    if (!services.some((service) => Object.keys(contracts[service]).some(isWanted))) continue;
    place.log('preparing');
    const calls = (await make(tenant)).filter(({ operation }) => isWanted(operation));
    for (const call of calls) rows.push(await measure(place, tenant, call));
  }
  return rows;
}

/** Waits until the fleet is idle: all earlier events have been relayed, consumed and delivered. */
async function waitUntilIdle({ dir, log }: Place): Promise<void> {
  const spent = () => [...cpuByProcess(join(dir, 'run')).values()].reduce((all, seconds) => all + seconds, 0);
  for (let check = 0; check < idleChecksMax; check++) {
    const before = spent();
    await pause(idleCheckMs);
    if ((spent() - before) * 1_000 < idleCheckMs * idleShareMax) return;
  }
  log('the fleet did not become idle');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function measure(place: Place, tenant: TestTenant, call: Call): Promise<Row> {
  const row = operations[call.operation];
  place.log(row.summary);
  const path =
    row.path.replace(/\/:(\w+)/g, (_, name: string) => `/${call.params?.[name] ?? '{id}'}`) + (call.query ?? '');
  const file = join(place.dir, 'tmp/call-ids');
  let used = 0;
  const load = async (length: number) => {
    const ids = call.ids?.slice(used);
    if (ids) writeFileSync(file, `${ids.join('\n')}\n`);
    const run = await runLoad(place.programs, {
      url: place.baseUrl,
      headers: { 'X-API-Key': tenant.live },
      connections,
      seconds: length,
      script: 'call.lua',
      env: {
        CALL_METHOD: row.method,
        CALL_PATH: path,
        RUN: randomBytes(3).toString('hex'),
        ...(call.body && { CALL_BODY: JSON.stringify(call.body) }),
        ...(ids && { CALL_IDS: file }),
        ...(call.isOnce && { CALL_ONCE: '1' }),
      },
    });
    if (!call.isOnce) return run;
    // At the end of a run, each connection may have used one more id.
    used += run.answers + connections;
    if (used >= (call.ids?.length ?? 0))
      throw new Error(`${call.operation} used up its ids before the measuring time ended`);
    return run;
  };
  await waitUntilIdle(place);
  await load(coldSeconds);
  await analyze(place);
  sampleReference();
  // Warm up again with the new plans. The runs follow at once, so that as many events are pending before as after them.
  await load(warmSeconds);
  const cost = countCost(place);
  const runs: Measured[] = [];
  for (let round = 0; round < rounds; round++) runs.push(await load(seconds));
  const perSecond = median(runs.map((run) => run.perSecond));
  const p99 = median(runs.map((run) => run.p99));
  return {
    id: call.operation,
    what: row.summary,
    goal: call.exempt ? '' : `≥ ${goal}/s`,
    reached: `${Math.round(perSecond)}/s`,
    detail: [`p99 ${Math.round(p99)} ms`, cost(runs), ...(call.exempt ? [call.exempt] : [])].join('; '),
    ...(!call.exempt && { isReached: perSecond >= goal }),
  };
}
