import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIdCodec } from '@tandem/ids';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import type { TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import pg from 'pg';
import { formatNumber } from './numbers.ts';
import type { Place } from './place.ts';
import { cpuSeconds } from './processes.ts';
import type { Row } from './results.ts';
import { runLoad } from './wrk.ts';

const enrolled = Number(process.env['BENCH_ENROLLED'] ?? 20_000);
const sent = Number(process.env['BENCH_SENT'] ?? 5_000);
const waiting = Number(process.env['BENCH_WAITING'] ?? 100_000);
// Executions that wake during the measurement, one every 5 ms.
const woken = 2_000;
const wakeEveryMs = 5;
const wakeAfterMs = 20_000;
const waitMs = 600_000;
const idleMs = 10_000;

/** The members of the fleet that campaigns need. */
export const campaignMembers = ['identity', 'crm', 'campaign', 'analytics', 'gateway'];

/** Enrolls an audience, sends a campaign, wakes executions beside many that wait, and records opens. */
export async function measureCampaigns(place: Place): Promise<Row[]> {
  const server = fork(join(import.meta.dirname, 'peers', 'smtp.ts'), ['0']);
  const [port] = (await once(server, 'message')) as [number];
  const settings = {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_PER_DAY_MAX: '10000000',
    MAIL_PER_DOMAIN_MINUTE_MAX: '1000000',
  };
  for (const name of campaignMembers) await place.startMember(name, name === 'campaign' ? { settings } : {});
  const databases = { campaign: await open(place, 'campaign'), crm: await open(place, 'crm') };
  try {
    const tenant = await place.aTenant();
    const codec = createIdCodec(place.environment['campaign']?.['IDS_ALPHABET'] as string);
    const setting: Setting = {
      place,
      tenant,
      tenantId: codec.decode('tenant', undefined, tenant.id) as number,
      ...databases,
    };
    await addLeads(setting, enrolled);
    return [
      await measureEnrollment(setting),
      await measureSending(setting),
      await measureWaking(setting),
      await measureOpens(setting),
    ];
  } finally {
    await Promise.all(Object.values(databases).map((one) => one.end()));
    server.kill();
  }
}

interface Setting {
  place: Place;
  tenant: TestTenant;
  tenantId: number;
  campaign: pg.Client;
  crm: pg.Client;
}

async function open(place: Place, service: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: place.databaseUrl(service) });
  await client.connect();
  return client;
}

const numberOf = async (client: pg.Client, sql: string, values: unknown[]) =>
  Number((await client.query<{ number: string }>(sql, values)).rows[0]?.number);

async function addLeads({ crm, tenantId }: Setting, count: number): Promise<void> {
  await crm.query('SET session_replication_role = replica');
  await crm.query(
    `INSERT INTO lead (tenant_id, environment, id, email, first_name, last_name, source, status, status_code, score, tags, updated_at)
     SELECT $1, 'live', 50000000 + n, 'lead.' || n || '@example.com', 'First' || n, 'Last' || n, 'api', 'new', 'new', 0,
       CASE WHEN n <= $3 THEN ARRAY['first'] ELSE '{}' END, now()
     FROM generate_series(1, $2::int) n`,
    [tenantId, count, sent],
  );
}

interface Launched {
  campaignId: string;
  startedAt: number;
}

/** Activates a campaign with one published sequence. */
async function launched({ tenant: { api } }: Setting, nodes: object[], conditions: object[]): Promise<Launched> {
  const { data: campaign } = await api.createCampaign({ body: { name: 'Benchmark' } });
  const all = [{ nodeId: 'start', type: 'trigger', data: { triggerType: 'manual' } }, ...nodes] as { nodeId: string }[];
  const edges = all.slice(1).map(({ nodeId }, index) => ({
    edgeId: `e${index}`,
    source: all[index]?.nodeId as string,
    target: nodeId,
  }));
  const { data: workflow } = await api.createSequence({
    params: { id: campaign.id },
    body: { name: 'Benchmark', nodes: all as never, edges },
  });
  await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
  await api.setAudience({ params: { id: campaign.id }, body: { include: [{ conditions: conditions as never }] } });
  const startedAt = performance.now();
  await api.activateCampaign({ params: { id: campaign.id } });
  return { campaignId: campaign.id, startedAt };
}

const anyLead = [{ field: 'source', operator: 'equals', value: 'api' }];
const firstLeads = [{ field: 'tags', operator: 'contains', value: 'first' }];
const lastMail = { nodeId: 'last', type: 'email', data: { subjectLine: 'Still interested?' } };
const monthOfWaiting = { nodeId: 'wait', type: 'wait', data: { duration: 30, durationUnit: 'days' } };

async function measureEnrollment(setting: Setting): Promise<Row> {
  const { place, campaign, tenantId } = setting;
  place.log(`enrolling an audience of ${formatNumber(enrolled)} leads`);
  const { startedAt } = await launched(setting, [monthOfWaiting, lastMail], anyLead);
  const count = (more: string) =>
    numberOf(campaign, `SELECT count(*) AS number FROM execution WHERE tenant_id = $1 ${more}`, [tenantId]);
  await until('all leads are enrolled', async () => (await count('')) === enrolled, waitMs);
  const rate = enrolled / seconds(startedAt);
  await until('all executions wait', async () => (await count(`AND status = 'waiting'`)) === enrolled, waitMs);
  return {
    id: 'campaign-enrollment',
    what: `Enrollment of an audience of ${formatNumber(enrolled)} leads`,
    goal: '≥ 5,000/s',
    reached: `${formatNumber(rate)}/s`,
    detail: `from the activation until all executions are stored; ${formatNumber(enrolled / seconds(startedAt))}/s until each waits at its first node`,
    isReached: rate >= 5_000,
  };
}

async function measureSending(setting: Setting): Promise<Row> {
  const { place, campaign, tenantId } = setting;
  place.log(`sending ${formatNumber(sent)} messages`);
  const html =
    '<h1>Hello {{ lead.firstName }}</h1><p><a href="https://example.com/a">One</a> <a href="https://example.com/b">Two</a></p>';
  const email = { nodeId: 'mail', type: 'email', data: { subjectLine: 'Hello {{ lead.firstName }}', html } };
  const { startedAt } = await launched(setting, [email], firstLeads);
  const sql = `SELECT count(*) AS number FROM message WHERE tenant_id = $1 AND status = 'sent'`;
  await until('all messages are sent', async () => (await numberOf(campaign, sql, [tenantId])) === sent, waitMs);
  const rate = sent / seconds(startedAt);
  return {
    id: 'campaign-sending',
    what: 'Messages of a campaign, with tracking and ledger',
    goal: '≥ 100/s',
    reached: `${formatNumber(rate)}/s`,
    detail: `${formatNumber(sent)} messages with two tracked links, from the activation until all are recorded as sent`,
    isReached: rate >= 100,
  };
}

/** Executions that wait are added by SQL, for leads that do not exist: they end when they wake. */
async function measureWaking(setting: Setting): Promise<Row> {
  const { place, campaign, tenantId } = setting;
  place.log(`waking ${formatNumber(woken)} of ${formatNumber(waiting)} executions that wait`);
  const idle = await cpuOfCampaign(setting);
  const workflow = await numberOf(
    campaign,
    `SELECT workflow_id AS number FROM execution WHERE tenant_id = $1 AND node_id = 'wait' LIMIT 1`,
    [tenantId],
  );
  const dueAt = new Date(Date.now() + wakeAfterMs);
  await campaign.query(
    `WITH added AS (
       INSERT INTO execution (tenant_id, environment, workflow_id, number, lead_id, status, node_id, step, due_at, source)
       SELECT $1, 'live', $2, 1, 60000000 + n, 'waiting', 'wait', 2,
         CASE WHEN n <= $4 THEN $5::timestamptz + n * $6 * interval '1 millisecond' ELSE now() + interval '30 days' END, 'manual'
       FROM generate_series(1, $3::int) n
       RETURNING id, due_at)
     INSERT INTO platform.job (tenant_id, environment, name, payload, due_at)
     SELECT $1, 'live', 'advance-executions', jsonb_build_object('executionId', id::text::bigint, 'wake', 1), due_at FROM added`,
    [tenantId, workflow, waiting, woken, dueAt, wakeEveryMs],
  );
  const waitingCpu = await cpuOfCampaign(setting);
  const left = `SELECT count(*) AS number FROM execution WHERE tenant_id = $1 AND lead_id BETWEEN 60000001 AND 60000000 + $2 AND ended_at IS NULL`;
  await until('all have woken', async () => (await numberOf(campaign, left, [tenantId, woken])) === 0, waitMs);
  const { rows } = await campaign.query<{ p50: number; p99: number }>(
    `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY late) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY late) AS p99
     FROM (SELECT extract(epoch FROM ended_at - ($3::timestamptz + (lead_id - 60000000) * $4 * interval '1 millisecond')) * 1000 AS late
       FROM execution WHERE tenant_id = $1 AND lead_id BETWEEN 60000001 AND 60000000 + $2) AS woken`,
    [tenantId, woken, dueAt, wakeEveryMs],
  );
  const { p50 = 0, p99 = 0 } = rows[0] ?? {};
  return {
    id: 'campaign-waking',
    what: `Executions wake on time beside ${formatNumber(waiting)} that wait`,
    goal: 'p99 ≤ 2 s late',
    reached: `${formatNumber(p99)} ms`,
    detail: `p50 ${formatNumber(p50)} ms, ${formatNumber(woken)} in ${(woken * wakeEveryMs) / 1_000} s; while nothing is due, campaign takes ${formatNumber(waitingCpu)} ms of CPU time per second, ${formatNumber(idle)} ms before`,
    isReached: p99 <= 2_000,
  };
}

/** CPU time of the service per second while nothing is due, in milliseconds. */
async function cpuOfCampaign({ place }: Setting): Promise<number> {
  const pid = place.processes.pid('campaign');
  const before = cpuSeconds(pid);
  const from = performance.now();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  return ((cpuSeconds(pid) - before) * 1_000) / seconds(from);
}

async function measureOpens(setting: Setting): Promise<Row> {
  const { place, campaign, tenantId } = setting;
  place.log('recording opens');
  const seal = createSeal(place.environment['campaign']?.['ENCRYPTION_KEY'] as string);
  const tokens = createLinkTokens<object>(seal, 'message-open');
  const { rows } = await campaign.query<{ id: string }>(
    `SELECT id FROM message WHERE tenant_id = $1 AND status = 'sent' LIMIT 5000`,
    [tenantId],
  );
  const until = new Date(Date.now() + 86_400_000);
  const paths = rows.map(
    ({ id }) => `/v1/public/t/o/${tokens.issue({ t: tenantId, e: 'live', m: Number(id) }, until)}`,
  );
  const file = join(place.dir, 'tmp/open-paths');
  writeFileSync(file, paths.join('\n'));
  const before = await opensOf(campaign, tenantId);
  const { perSecond, p99, answers } = await runLoad(place.programs, {
    url: place.baseUrl,
    connections: 32,
    seconds: 8,
    script: 'get-lead.lua',
    env: { PATHS: file },
  });
  const recorded = (await opensOf(campaign, tenantId)) - before;
  if (recorded < answers) throw new Error(`Of ${answers} opens only ${recorded} were recorded`);
  return {
    id: 'campaign-opens',
    what: 'Opens recorded',
    goal: '≥ 1,000/s',
    reached: `${formatNumber(perSecond)}/s`,
    detail: `p99 ${formatNumber(p99)} ms, each stored before its answer`,
    isReached: perSecond >= 1_000,
  };
}

const opensOf = (client: pg.Client, tenantId: number) =>
  numberOf(client, `SELECT count(*) AS number FROM engagement WHERE tenant_id = $1 AND type = 'email_open'`, [
    tenantId,
  ]);

function seconds(since: number): number {
  return (performance.now() - since) / 1_000;
}
