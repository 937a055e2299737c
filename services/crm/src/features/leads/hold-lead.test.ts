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

/** Deletes a lead in a transaction that commits when the request waits for it. */
async function deletedDuring<T>({ caller }: Api, leadId: string, request: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SELECT set_config('app.tenant_id', $1, true), set_config('app.environment', 'live', true)`, [
      `${caller.tenantId}`,
    ]);
    await client.query('SELECT FROM lead WHERE id = $1 FOR UPDATE', [leadId]);
    await client.query('UPDATE lead SET deleted_at = now() WHERE id = $1', [leadId]);
    const reply = request();
    await until('the request waits for the lead', async () => {
      const { rows } = await client.query(`SELECT FROM pg_locks
        WHERE NOT granted AND locktype = 'transactionid' AND transactionid = pg_current_xact_id()::xid`);
      return rows.length > 0;
    });
    await client.query('COMMIT');
    return await reply;
  } finally {
    await client.end();
  }
}

it.each([
  [
    'createOpportunity',
    (api: Api, leadId: string) => api.createOpportunity({ body: { name: 'Rollout', currency: 'EUR', leadId } }),
  ],
  ['createTask', (api: Api, leadId: string) => api.createTask({ body: { title: 'Call', leadId } })],
] as const)('%s adds nothing to a lead that is deleted while the request runs', async (_, send) => {
  const api = service.as();
  const { data: lead } = await api.createLead({ body: aLead() });
  const reply = await deletedDuring(api, lead.id, () => send(api, lead.id));
  expect([reply.status, reply.body.errors]).toEqual([422, [{ field: 'leadId', message: 'No lead with this id' }]]);
  expect((await api.listOpportunities()).data).toEqual([]);
  expect((await api.listTasks()).data).toEqual([]);
});
