import type { crm } from '@tandem/crm-contract';
import { type TestService, testService, until } from '@tandem/testing';
import pg from 'pg';
import { aLead, alone } from '../../crm.test-service.ts';
import { crmService } from '../../service.ts';

let databaseUrl = '';
let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await testService('crm', (settings) => {
    databaseUrl = settings.DATABASE_URL;
    return crmService({ ...settings, ...alone });
  });
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

const sql = ({ caller }: Api, text: string) => service.sqlWithin(caller, text);

/** Leads with different values of `vat`: more than the job reads at once. */
const manyLeads = (api: Api) =>
  sql(
    api,
    `INSERT INTO lead (email, first_name, last_name, custom_fields)
     SELECT 'lead' || n || '@example.com', 'Ada', 'Lovelace', jsonb_build_object('vat', 'DE ' || n)
     FROM generate_series(1, 4500) AS n`,
  );

const ready = (api: Api, id: string) =>
  until('the field is ready', async () => {
    const { data } = await api.getCustomField({ params: { id } });
    return data.status === 'ready' && data;
  });

async function aField(api: Api, fields: { type?: 'number'; unique?: boolean } = {}) {
  const body = { entityType: 'lead', key: 'vat', label: 'VAT id', type: 'text', ...fields } as const;
  return ready(api, (await api.createCustomField({ body })).data.id);
}

/** Calls `work` while another transaction has locked all rows of the tenant in this table. */
async function whileLocked({ caller }: Api, table: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SELECT set_config('app.tenant_id', $1, true), set_config('app.environment', 'live', true)`, [
      `${caller.tenantId}`,
    ]);
    await client.query(`SELECT FROM ${table} FOR UPDATE`);
    await work();
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

it.each([
  ['is no longer unique', (api: Api, id: string) => api.updateCustomField({ params: { id }, body: { unique: false } })],
  ['is deleted', (api: Api, id: string) => api.deleteCustomField({ params: { id } })],
] as const)('the values of a field that %s are free at once, and their keys are deleted later', async (_, change) => {
  const api = service.as();
  await manyLeads(api);
  const { id } = await aField(api, { unique: true });
  await whileLocked(api, 'custom_field_key', async () => {
    expect((await change(api, id)).status).toBe(200);
    expect((await api.createLead({ body: aLead({ customFields: { vat: 'DE 7' } }) })).status).toBe(201);
  });
  await until('the keys are deleted', async () => !(await sql(api, 'SELECT FROM custom_field_key LIMIT 1')).length);
});

it('a change of the definition ends the earlier pass, so that each record is counted once', async () => {
  const api = service.as();
  await manyLeads(api);
  const { id, misfits } = await aField(api, { type: 'number' });
  expect(misfits).toBe(4500);
  const recheck = `name = 'read-existing-records' AND payload @> '{"isRecheck": true}'`;
  await whileLocked(api, 'lead', async () => {
    const { data } = await api.updateCustomField({ params: { id }, body: { sortable: true } });
    expect(data.status).toBe('indexing');
    await sql(api, `UPDATE platform.job SET due_at = now() WHERE ${recheck}`);
    await until('the recheck of the earlier pass has begun', async () => {
      const due = await sql(api, `SELECT FROM platform.job WHERE ${recheck} AND state IN ('waiting', 'queued')`);
      return due.length === 0;
    });
  });
  expect((await ready(api, id)).misfits).toBe(4500);
});

it('the records are read later when all attempts of a run have failed', async () => {
  const api = service.as();
  const { id } = await aField(api);
  await sql(api, `UPDATE custom_field SET status = 'indexing'`);
  await sql(api, 'UPDATE platform.job SET attempts = 10, due_at = now()');
  await until(
    'the run is given up',
    async () => (await sql(api, `SELECT FROM platform.job WHERE state = 'dead'`)).length > 0,
  );
  await sql(api, `UPDATE platform.job SET due_at = now() WHERE state = 'waiting'`);
  await ready(api, id);
});
