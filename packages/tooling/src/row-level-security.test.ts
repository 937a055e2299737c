import { roleName, withClient } from './roles.ts';
import { findServices } from './services.ts';
import { cloneDatabase, type TestDatabase } from './template.ts';

// Tables that are needed before a tenant is known, and the usage of all tenants, which gateways report together.
const withoutTenant: Record<string, string[]> = {
  identity: [
    'email_lookup',
    'key_lookup',
    'refresh_lookup',
    'sso_domain_lookup',
    'tenant_deletion',
    'tenant_directory',
    'usage_batch',
    'usage_day',
    'usage_gateway',
    'usage_hour',
    'usage_month',
    'usage_watch',
  ],
  campaign: ['sms_recipient_lookup'],
  partner: ['share_lookup'],
  training: ['certificate_lookup'],
};

const platformTables = ['migration'];

describe.each(findServices().map(({ name }) => name))('the database of %s', (service) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneDatabase(service);
  });
  afterAll(() => database.drop());
  const query = (url: string, text: string, values: unknown[] = []) =>
    withClient(url, async (client) => (await client.query(text, values)).rows);

  it('forces row-level security on every table that has a tenant', async () => {
    const open = await query(
      database.ownerUrl,
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relkind IN ('r', 'p') AND c.relnamespace IN ('public'::regnamespace, 'platform'::regnamespace)
         AND a.attname = 'tenant_id' AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`,
    );
    expect(open).toEqual([]);
  });

  it('has no other tables without a tenant than those named here', async () => {
    const tables = await query(
      database.ownerUrl,
      `SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'p') AND n.nspname IN ('public', 'platform') AND NOT EXISTS (
         SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id') ORDER BY name`,
    );
    const own = tables.filter(({ schema }) => schema === 'public').map(({ name }) => name);
    const platform = tables.filter(({ schema }) => schema === 'platform').map(({ name }) => name);
    expect([own, platform]).toEqual([withoutTenant[service] ?? [], platformTables]);
  });

  it('gives the service a role that owns nothing and cannot bypass row-level security', async () => {
    const [role] = await query(
      database.ownerUrl,
      `SELECT rolsuper, rolbypassrls, (SELECT count(*)::int FROM pg_class WHERE relowner = r.oid) AS owned
       FROM pg_roles r WHERE rolname = $1`,
      [roleName(service, 'app')],
    );
    expect(role).toEqual({ rolsuper: false, rolbypassrls: false, owned: 0 });
  });

  it('adds the tenant of the scope to every query of the service on a tenant table', async () => {
    const tables = await query(
      database.appUrl,
      `SELECT DISTINCT c.oid::regclass::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND a.attname = 'tenant_id'
         AND has_table_privilege(c.oid, 'SELECT')`,
    );
    expect(tables.length).toBeGreaterThan(0);
    for (const { name } of tables) {
      const plan = await query(database.appUrl, `EXPLAIN (FORMAT JSON) SELECT * FROM ${name}`);
      expect([name, JSON.stringify(plan)]).toEqual([name, expect.stringMatching(/current_setting\('app\.tenant_id'/)]);
    }
  });
});
