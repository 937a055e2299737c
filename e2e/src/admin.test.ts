import { createIdCodec } from '@tandem/ids';
import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { connect } from 'amqplib';
import pg from 'pg';
import { runAdmin } from './admin-command.ts';

// Tests the commands of `npm run admin` against a running fleet.

// The services that do not run.
const absent = {
  ...{ INTEGRATIONS_URL: undefined, CAMPAIGN_URL: undefined, TRAINING_URL: undefined, FILES_URL: undefined },
  ...{ ANALYTICS_URL: undefined, AGENTS_URL: undefined },
};

let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  fleet = await startFleet({ services: ['identity', 'crm', 'partner', 'search'] });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(() => fleet?.stop(), 90_000);

/** Runs a command; resolves with its exit code and output. */
function admin(...args: string[]): Promise<{ code: number; text: string }> {
  return adminWith({}, ...args);
}

/** Runs a command with other settings. */
function adminWith(settings: Record<string, string>, ...args: string[]): Promise<{ code: number; text: string }> {
  return runAdmin(fleet, args, { ...absent, ...settings });
}

it('prints its usage, and rejects unknown commands and ids', async () => {
  expect(await admin()).toMatchObject({ code: 2, text: expect.stringContaining('dead-letters:replay') });
  expect((await admin('nonsense')).code).toBe(2);
  expect((await admin('plan', 'no-tenant', 'pro')).code).toBe(2);
  expect(await admin('dead-letters:list', 'crm.nobody')).toMatchObject({
    code: 1,
    text: expect.stringContaining('the queue of this consumer does not exist'),
  });
});

it('lists tenants, sets a plan and verifies an audit log', async () => {
  expect(await admin('tenants')).toMatchObject({ code: 0, text: expect.stringContaining(tenant.id) });
  const plan = await admin('plan', tenant.id, 'enterprise', '--rate', '100000');
  expect(plan).toMatchObject({ code: 0, text: expect.stringContaining('requests per minute: 100000') });
  await until('the audit log has entries', async () =>
    /\s[1-9]\d*\s+0\s+intact/.test((await admin('audit:verify', tenant.id)).text),
  );
  expect((await admin('audit:verify', '--all')).code).toBe(0);
});

it('lists dead letters, shows one in full and replays them', async () => {
  const { AMQP_URL, NAMESPACE } = fleet.environment['crm'] as Record<string, string>;
  const connection = await connect(AMQP_URL as string);
  const channel = await connection.createConfirmChannel();
  channel.publish(`${NAMESPACE}.events`, 'lead.created', Buffer.from('{ not json'), { messageId: 'broken-one' });
  await channel.waitForConfirms();
  await connection.close();
  const letter = await until('the message is a dead letter', async () => {
    const { text } = await admin('dead-letters:list', 'crm.detect-duplicates');
    return text.includes('broken-one') && text;
  });
  expect(letter).toMatch(/unreadable/);
  expect((await admin('dead-letters')).text).toMatch(/crm\.detect-duplicates\s+1/);
  const details = await admin('dead-letters:list', 'crm.detect-duplicates', '--id', 'broken-one');
  expect(details).toMatchObject({ code: 0, text: expect.stringContaining('UnreadableError') });
  expect((await admin('dead-letters:replay', 'crm.detect-duplicates')).text).toMatch(/1 replayed/);
}, 120_000);

it('says how old the counts of encrypted values may be', async () => {
  expect(await admin('secrets')).toMatchObject({
    text: expect.stringMatching(/10 s after its start and\nthen every 5 minutes/),
  });
});

it('compares the broker topology with the declared one and repairs it', async () => {
  expect(await admin('topology')).toEqual({ code: 0, text: 'The broker matches the declarations of the services.\n' });
  // Nothing listens on this port.
  expect(await adminWith({ CRM_URL: 'http://127.0.0.1:1' }, 'topology')).toEqual({
    code: 1,
    text: 'crm does not respond: its queues are neither compared nor removed\nNo differences were found for the other services.\n',
  });
  const { AMQP_URL, NAMESPACE } = fleet.environment['crm'] as Record<string, string>;
  const connection = await connect(AMQP_URL as string);
  const channel = await connection.createChannel();
  await channel.assertQueue(`${NAMESPACE}.crm.removed`, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await connection.close();
  expect(await admin('topology')).toEqual({ code: 1, text: `orphaned queue ${NAMESPACE}.crm.removed\n` });
  expect(await admin('topology', '--repair')).toMatchObject({ code: 0, text: expect.stringContaining('deleted') });
  expect((await admin('topology')).code).toBe(0);
}, 120_000);

it('rebuilds the search index from the services that own the records', async () => {
  const names = ['Rebuildone', 'Rebuildtwo', 'Rebuildthree'];
  const ids: string[] = [];
  for (const lastName of names)
    ids.push(
      (await tenant.api.createLead({ body: { email: `${lastName}@example.com`, firstName: 'A', lastName } })).data.id,
    );
  const found = async (q: string) => (await tenant.api.searchLeads({ query: { q } })).data;
  for (const name of names) await until(`${name} is found`, async () => (await found(name)).length === 1);
  await tenant.api.removeDocument({ params: { type: 'lead', id: ids[0] as string } });
  expect(await found('Rebuildone')).toEqual([]);
  // Takes 3 s at this rate, so it prints its progress.
  const { code, text } = await admin('rebuild', 'search', '--tenant', tenant.id, '--rate', '1');
  expect([code, text]).toEqual([0, expect.stringMatching(/Done: 3 records read, 3 rows written, 0 removed/)]);
  expect(await found('Rebuildone')).toHaveLength(1);
  const place = /--from (\S+)/.exec(text)?.[1] as string;
  expect(place).toContain(`${tenant.id}/live/lead/`);
  expect(await admin('rebuild', 'search', '--tenant', tenant.id, '--from', place)).toMatchObject({ code: 0 });
}, 120_000);

it('rebuilds duplicate pairs and referrals, of all tenants or of one', async () => {
  const { data: partner } = await tenant.api.createPartner({
    body: { email: 'joan@example.com', firstName: 'Joan', lastName: 'Clarke', referralCode: 'JOAN-2026' },
  });
  await tenant.api.approvePartner({ params: { id: partner.id }, body: {} });
  const lead = { firstName: 'A', lastName: 'B', email: 'twin@example.com', referralCode: 'JOAN-2026' };
  const other = { firstName: 'C', lastName: 'D', email: 'other@example.com' };
  for (const body of [other, lead, lead]) expect((await tenant.api.createLead({ body })).status).toBe(201);
  const state = async () => ({
    pairs: (await tenant.api.listLeadDuplicates({ query: { limit: 1 } })).pagination?.total,
    referrals: (await tenant.api.getPartner({ params: { id: partner.id } })).data.referralCount,
  });
  await until('both are stored', async () => JSON.stringify(await state()) === '{"pairs":1,"referrals":2}');
  // The pair of a later lead with an earlier one shows that those between are checked, which would store their pair again.
  expect((await tenant.api.createLead({ body: other })).status).toBe(201);
  await until('the later pair is stored', async () => (await state()).pairs === 2);
  await within('crm', 'DELETE FROM duplicate_pair');
  await within('partner', 'DELETE FROM referral');
  expect(await state()).toEqual({ pairs: 0, referrals: 0 });
  expect((await admin('rebuild', 'duplicates')).text).toMatch(/Done: \d+ records read, 2 rows written, 0 removed/);
  expect((await admin('rebuild', 'referrals', '--tenant', tenant.id)).text).toMatch(/ 2 rows written, 0 removed\n$/);
  expect(await state()).toEqual({ pairs: 2, referrals: 2 });
  expect(await admin('rebuild', 'nothing')).toMatchObject({
    code: 2,
    text: expect.stringContaining('these can: search, analytics, duplicates, lesson-content, referrals'),
  });
}, 120_000);

/** Runs a statement in the database of a service, within the tenant. */
async function within(service: string, sql: string): Promise<void> {
  const { DATABASE_URL, IDS_ALPHABET } = fleet.environment[service] as Record<string, string>;
  const alphabet = IDS_ALPHABET ?? (fleet.environment['gateway'] as Record<string, string>)['IDS_ALPHABET'];
  const tenantId = createIdCodec(alphabet as string).decode('tenant', undefined, tenant.id);
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  try {
    const scope = `SELECT set_config('app.tenant_id', $1, false), set_config('app.environment', 'live', false)`;
    await client.query(scope, [String(tenantId)]);
    await client.query(sql);
  } finally {
    await client.end();
  }
}
