import pg from 'pg';
import { cloneDatabase, type TestDatabase } from './template.ts';

// platform.create_lookup must produce what the migrations of crm wrote by hand before it existed.
const written = [
  ['text', 'text', `(email || ' ' || first_name || ' ' || last_name || ' ' || coalesce(external_id, ''))`],
  ['list', 'tags', 'tags'],
  ['json', 'custom_fields', 'custom_fields'],
] as const;

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await cloneDatabase('crm');
  client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});
beforeEach(() => client.query('BEGIN'));
afterEach(() => client.query('ROLLBACK'));

/** The definition of a lookup of leads, its owner and its grants. */
async function describeLookup(suffix: string) {
  const { rows } = await client.query<{ definition: string; owner: string; acl: string }>(
    `SELECT pg_get_functiondef(oid) AS definition, proowner::regrole AS owner, proacl::text AS acl FROM pg_proc
     WHERE oid = 'lead_with_${suffix}(text, integer)'::regprocedure`,
  );
  return rows.map(({ definition, ...rest }) => ({ definition: definition.replace(/\s+/g, ' '), ...rest }));
}

it.each(written)('a lookup of the kind %s is the same as one written by hand', async (kind, suffix, expression) => {
  const before = await describeLookup(suffix);
  await client.query(`DROP FUNCTION "lead_with_${suffix}"(text, integer)`);
  await client.query('SELECT platform.create_lookup($1, $2, $3, $4)', [kind, 'lead', suffix, expression]);
  expect(await describeLookup(suffix)).toEqual(before);
});

it('the first lookup of a table lets the owner of the tables read its rows', async () => {
  const policies = async () =>
    (
      await client.query(
        `SELECT roles::text[] AS roles, cmd, qual FROM pg_policies WHERE tablename = 'lead' AND policyname = 'lookup'`,
      )
    ).rows;
  const before = await policies();
  await client.query('DROP POLICY lookup ON lead');
  await client.query(`SELECT platform.create_lookup('text', 'lead', 'phone', 'phone')`);
  expect(await policies()).toEqual(before);
});

it('rejects an unknown kind', async () => {
  const created = client.query(`SELECT platform.create_lookup('number', 'lead', 'score', 'score')`);
  await expect(created).rejects.toThrow('text, list or json');
});
