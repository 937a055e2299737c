import { aTenant, startFleet, type TestFleet, type TestTenant, tokensOf } from '@tandem/test-fleet';
import { openTables, type Tables, until } from '@tandem/testing';

const many = Number(process.env['EXPORT_LEADS'] ?? 20_000);
const waitMs = 240_000;

let fleet: TestFleet;
let tenant: TestTenant;
let databases: Record<'crm' | 'analytics', Tables>;
beforeAll(async () => {
  fleet = await startFleet({ services: ['identity', 'crm', 'analytics'] });
  tenant = await aTenant(fleet);
  const open = (name: string) => openTables(fleet.environment[name]?.['DATABASE_URL'] as string);
  databases = { crm: await open('crm'), analytics: await open('analytics') };
}, 240_000);
afterAll(async () => {
  await Promise.all(Object.values(databases ?? {}).map((one) => one.close()));
  await fleet?.stop();
}, 60_000);

type Api = TestTenant['api'];
type Body = Parameters<Api['createExport']>[0]['body'];

const aLead = (name: string, fields: object = {}) => ({
  email: `${name}@example.com`,
  firstName: 'Ada',
  lastName: 'Lovelace',
  ...fields,
});

const reaches = (api: Api, id: string, status: string) =>
  until(
    `the export is ${status}`,
    async () => {
      const { data } = await api.getExport({ params: { id } });
      return data.status === status && data;
    },
    waitMs,
  );

async function exported(api: Api, body: Body) {
  const { data } = await api.createExport({ body });
  return reaches(api, data.id, 'completed');
}

/** The lines of a CSV file without their names of columns. */
async function linesOf({ downloadUrl }: { downloadUrl: string | null }): Promise<string[]> {
  const response = await fetch(downloadUrl as string);
  expect(response.status).toBe(200);
  return (await response.text()).split('\r\n').slice(1, -1);
}

/** A user with these permissions, signed in. */
async function aUser(permissions: string[]) {
  const { data: role } = await tenant.owner.createRole({ body: { name: permissions.join(), permissions } });
  const [email, password] = [`user${Date.now()}@example.com`, 'a long phrase is best'];
  const person = { email, password, firstName: 'Grace', lastName: 'Hopper', roleId: role.id };
  const { data: user } = await tenant.owner.createUser({ body: person });
  const { data } = await fleet.api().login({ body: { email, password } });
  return { id: user.id, api: fleet.api({ accessToken: tokensOf(data).accessToken, tenantId: tenant.id }) };
}

it('a key exports the leads that a word finds, with public ids and without formulas', async () => {
  const { api } = tenant;
  const { data: first } = await api.createLead({ body: aLead('one', { lastName: 'Zuse', firstName: '=1+1' }) });
  await api.createLead({ body: aLead('two') });
  const { data: third } = await api.createLead({ body: aLead('three', { lastName: 'Zuse' }) });
  const body: Body = { source: 'leads', format: 'csv', filters: { search: 'zuse' }, columns: ['id', 'firstName'] };
  const done = await exported(api, body);
  expect([done.rowCount, done.createdBy]).toEqual([2, tenant.userId]);
  expect(await linesOf(done)).toEqual([`${first.id},'=1+1`, `${third.id},Ada`]);
  const entry = await until('the download is in the audit log', async () => {
    const { data } = await tenant.owner.listAuditLogs({ query: { action: 'export.download', targetId: done.id } });
    return data[0];
  });
  expect(entry.actor.id).toBe(tenant.userId);
});

it('a user who may read own leads only exports these, and no audit log', async () => {
  const { id, api } = await aUser(['analytics:read', 'leads:read:own']);
  await tenant.api.createLead({ body: aLead('others') });
  await tenant.api.createLead({ body: aLead('own', { assignedTo: id }) });
  const done = await exported(api, { source: 'leads', format: 'csv', columns: ['email'] });
  expect(await linesOf(done)).toEqual(['own@example.com']);
  await expect(api.createExport({ body: { source: 'audit', format: 'csv' } })).rejects.toMatchObject({ status: 403 });
  const manager = await exported(tenant.owner, {
    source: 'audit',
    format: 'ndjson',
    filters: { action: 'lead.create' },
  });
  expect(manager.rowCount).toBeGreaterThanOrEqual(2);
});

it('an export continues after a SIGKILL without missing or double rows; a cancelled one leaves none', async () => {
  const { api } = tenant;
  await api.createLead({ body: aLead('before') });
  const [row] = await databases.crm.sql<{ tenant_id: string }>(`SELECT tenant_id FROM lead LIMIT 1`);
  await databases.crm.sql(`SELECT set_config('app.tenant_id', '${row?.tenant_id}', false),
    set_config('app.environment', 'live', false)`);
  await databases.crm.sql(`INSERT INTO lead (email, first_name, last_name, source)
    SELECT 'many' || n || '@example.com', 'Many', 'Leads', 'import' FROM generate_series(1, ${many}) AS n`);
  const body: Body = { source: 'leads', format: 'csv', filters: { source: 'import' }, columns: ['email'] };
  const { data: started } = await api.createExport({ body });
  await until('a page is stored', async () => {
    return (await api.getExport({ params: { id: started.id } })).data.rowCount > 0;
  });
  fleet.kill('analytics');
  await until('analytics is back', () => fleet.ready('analytics'));
  const done = await reaches(api, started.id, 'completed');
  const lines = await linesOf(done);
  expect([done.rowCount, lines.length, new Set(lines).size]).toEqual([many, many, many]);
  expect(lines.at(-1)).toBe(`many${many}@example.com`);

  const { data: second } = await api.createExport({ body });
  await reaches(api, second.id, 'running');
  expect((await api.cancelExport({ params: { id: second.id } })).data.status).toBe('cancelled');
  await until('its rows are removed', async () => {
    const left = await databases.analytics.sql(
      `SELECT FROM export_chunk JOIN export ON export.id = job_id WHERE status = 'cancelled' LIMIT 1`,
    );
    return left.length === 0;
  });
}, 300_000);

it('a link ends with the file', async () => {
  const { api } = tenant;
  const { id } = await exported(api, { source: 'leads', format: 'json', filters: { search: 'zuse' } });
  await databases.analytics.sql(`UPDATE export SET expires_at = now() + interval '3 s' WHERE status = 'completed'`);
  const { data } = await api.getExport({ params: { id } });
  await until('the link has expired', async () => {
    const response = await fetch(data.downloadUrl as string, { headers: { accept: 'application/json' } });
    return response.status === 404 && (await response.text()).includes('expired');
  });
  expect((await api.getExport({ params: { id } })).data.downloadUrl).toBeNull();
});
