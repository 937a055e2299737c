import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIdCodec } from '@tandem/ids';
import { anyFreePort } from '@tandem/local/ports';
import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import pg from 'pg';
import { type OwnStores, ownStores } from './own-stores.ts';

// A campaign during which its service, the broker, Redis and the mail server are killed. With CAMPAIGN_LEADS=20000 the long
// form of the proof; the short form has the same faults.
const leadCount = Number(process.env['CAMPAIGN_LEADS'] ?? 1_200);
const unsubscribedCount = 20;
const firstLead = 70_000_000;
const waitMs = 120_000 + leadCount * 40;

let stores: OwnStores;
let fleet: TestFleet;
let tenant: TestTenant;
let database: pg.Client;
let server: ChildProcess;
let port: number;
let ledger: string;
beforeAll(async () => {
  stores = await ownStores('campaign-kill');
  ledger = join(process.env.TEST_DIR as string, `campaign-kill-${process.pid}.txt`);
  port = await anyFreePort();
  await startServer();
  fleet = await startFleet({
    stores,
    services: ['identity', 'crm', 'campaign', 'analytics'],
    env: {
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_PER_DAY_MAX: '1000000',
      MAIL_PER_DOMAIN_MINUTE_MAX: '1000000',
    },
  });
  tenant = await aTenant(fleet, { ratePerMinute: 100_000 });
  database = await open('campaign');
  await addLeads();
}, 300_000);
afterAll(async () => {
  await database?.end();
  await fleet?.stop();
  server?.kill();
  await stores?.stop();
}, 90_000);

async function startServer(): Promise<void> {
  server = fork(join(import.meta.dirname, 'mail-server.ts'), [String(port), ledger]);
  await once(server, 'message');
}

/** A connection as an administrator. */
async function open(service: string): Promise<pg.Client> {
  const url = new URL(stores.adminDatabaseUrl);
  url.pathname = new URL(fleet.environment[service]?.['DATABASE_URL'] as string).pathname;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  return client;
}

const address = (number: number) => `lead.${number}@example.com`;

async function addLeads(): Promise<void> {
  const codec = createIdCodec(fleet.environment['campaign']?.['IDS_ALPHABET'] as string);
  const tenantId = codec.decode('tenant', undefined, tenant.id);
  const crm = await open('crm');
  try {
    await crm.query(
      `INSERT INTO lead (tenant_id, environment, id, email, first_name, last_name, source, status, status_code, score, tags, updated_at)
       SELECT ${tenantId}, 'live', ${firstLead} + n, 'lead.' || n || '@example.com', 'First' || n, 'Last' || n, 'api', 'new', 'new', 0,
         '{}', now() FROM generate_series(1, ${leadCount}) n`,
    );
  } finally {
    await crm.end();
  }
}

/** The times at which the mail server accepted messages, by address. */
function received(): Map<string, number[]> {
  const lines = existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').filter(Boolean) : [];
  const found = new Map<string, number[]>();
  for (const line of lines) {
    const [time, to] = line.split(' ') as [string, string];
    found.set(to, [...(found.get(to) ?? []), Number(time)]);
  }
  return found;
}

const reached = (share: number) =>
  until(`${share * 100} % are sent`, () => received().size >= leadCount * share, waitMs);

/** Messages that the mail server refused while it was down wait for their next attempt, which is now. */
async function hurry(): Promise<void> {
  await database.query(`UPDATE execution SET due_at = now() WHERE status = 'waiting' AND due_at > now()`);
  await database.query(
    `UPDATE platform.job SET due_at = now() WHERE state = 'waiting' AND name = 'advance-executions'`,
  );
}

it(
  'each lead gets exactly one message or is listed as uncertain, and none after it unsubscribed',
  async () => {
    const { api } = tenant;
    const { data: campaign } = await api.createCampaign({ body: { name: 'Spring' } });
    const { data: sequence } = await api.createSequence({
      params: { id: campaign.id },
      body: {
        name: 'Offer',
        nodes: [
          { nodeId: 'start', type: 'trigger', data: { triggerType: 'manual' } },
          { nodeId: 'mail', type: 'email', data: { subjectLine: 'Hello {{ lead.firstName }}' } },
        ],
        edges: [{ edgeId: 'a', source: 'start', target: 'mail' }],
      },
    });
    await api.publishWorkflow({ params: { id: sequence.id }, body: {} });
    const conditions = [{ field: 'source', operator: 'equals' as const, value: 'api' }];
    await api.setAudience({ params: { id: campaign.id }, body: { include: [{ conditions }] } });
    expect((await api.activateCampaign({ params: { id: campaign.id } })).status).toBe(200);

    // The last leads of the audience unsubscribe before it is their turn.
    await reached(0.05);
    const left = Array.from({ length: unsubscribedCount }, (_, index) => address(leadCount - index));
    const before = received();
    const inTime = left.filter((one) => !before.has(one));
    const reply = await api.importSuppressions({ body: { channel: 'email', values: inTime, reason: 'unsubscribe' } });
    expect(reply.status).toBe(200);
    const unsubscribedAt = Date.now();

    await reached(0.2);
    fleet.kill('campaign');
    await reached(0.35);
    stores.signal('rabbitmq', 'SIGKILL');
    await reached(0.5);
    stores.signal('redis', 'SIGKILL');
    await reached(0.65);
    server.kill('SIGKILL');
    await once(server, 'exit');
    await startServer();
    await reached(0.8);
    fleet.kill('campaign');

    await until(
      'every execution has ended',
      async () => {
        await hurry();
        const { rows } = await database.query<{ ended: number }>(
          `SELECT count(*)::int AS ended FROM execution WHERE ended_at IS NOT NULL`,
        );
        return rows[0]?.ended === leadCount;
      },
      waitMs,
    );

    const { rows: messages } = await database.query<{ recipient: string; status: string; uncertain: boolean }>(
      `SELECT recipient, status, uncertain FROM message`,
    );
    const accepted = received();
    const counted = { sent: 0, uncertain: 0, skipped: 0 };
    const wrong: unknown[] = [];
    for (const { recipient, status, uncertain } of messages) {
      const count = accepted.get(recipient)?.length ?? 0;
      if (uncertain) counted.uncertain++;
      else if (status === 'sent') counted.sent++;
      else counted.skipped++;
      const isRight = uncertain ? count <= 1 : count === (status === 'sent' ? 1 : 0);
      if (!isRight) wrong.push({ recipient, status, uncertain, count });
    }
    expect(wrong).toEqual([]);
    expect(messages).toHaveLength(leadCount);
    expect(new Set(messages.map(({ recipient }) => recipient)).size).toBe(leadCount);
    const late = inTime.filter((one) => (accepted.get(one) ?? []).some((time) => time > unsubscribedAt));
    expect(late).toEqual([]);
    // Each of the two kills of the service interrupts at most eight batches of 15, and that of the mail server its connections.
    expect(counted.uncertain).toBeLessThanOrEqual(2 * 120 + 20);
    const stats = (await api.getCampaignStats({ params: { id: campaign.id } })).data;
    expect(stats.messages).toMatchObject({ uncertain: counted.uncertain, skipped: counted.skipped });
    process.stdout.write(`campaign to ${leadCount} leads: ${JSON.stringify(counted)}\n`);
  },
  waitMs * 3,
);
