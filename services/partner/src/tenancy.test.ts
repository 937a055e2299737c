import { testSettings } from '@tandem/testing';
import pg from 'pg';

it('every table with a tenant has forced row-level security', async () => {
  const settings = await testSettings('partner');
  const client = new pg.Client({ connectionString: settings.ownerUrl });
  await client.connect();
  const { rows } = await client.query(`SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity AS is_forced
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE a.attname = 'tenant_id' AND c.relkind = 'r' AND n.nspname = 'public'`);
  await client.end();
  await settings.drop();
  expect(rows.length).toBeGreaterThanOrEqual(8);
  expect(rows.filter(({ is_forced }) => !is_forced)).toEqual([]);
});
