import pg from 'pg';

const leadsOfLargeTenant = Number(process.env['BENCH_LEADS'] ?? 3_000_000);

/** Size of the data set. `leads` and `opportunities` are those of the large tenant. */
export const size = {
  leads: leadsOfLargeTenant,
  opportunities: Math.ceil(leadsOfLargeTenant / 15),
  tenants: 1_000,
  leadsOfOthers: 100,
};

/**
 * Number of users that own the large tenant's records. Except for the first one, they do not exist in identity; lists do
 * not need them.
 */
export const users = 200;

// Id of the first small tenant, far above the ids of tenants that are created during the benchmark.
const firstSmallTenant = 1_000_000;

/**
 * Fills the database of crm: one tenant with millions of leads, and many small ones. Multiplication by primes spreads
 * the values, so that columns are not correlated; `created_at` grows with the id, as in production.
 * @param tenant.firstUser the lowest id of the users that own records
 */
export async function fillCrm(
  url: string,
  tenant: { id: number; firstUser: number },
  log: (line: string) => void,
): Promise<void> {
  const { firstUser } = tenant;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `SET session_replication_role = replica; SET maintenance_work_mem = '512MB'; SET statement_timeout = 0`,
    );
    const restore = await withoutIndexes(client, ['lead', 'opportunity']);
    log(`filling crm: ${size.leads} leads, ${size.opportunities} opportunities, ${size.tenants} tenants`);
    await client.query(leads({ tenant: String(tenant.id), count: size.leads, firstId: 10_000_000, firstUser }));
    const small = `${firstSmallTenant} + n % ${size.tenants}`;
    await client.query(
      leads({ tenant: small, count: size.tenants * size.leadsOfOthers, firstId: 20_000_000, firstUser }),
    );
    await client.query(opportunities(tenant.id, firstUser));
    log('building indexes');
    await restore();
    await client.query('VACUUM (ANALYZE) lead');
    await client.query('VACUUM (ANALYZE) opportunity');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

/**
 * Drops all indexes except primary keys and returns a function that rebuilds them, which is faster than updating them.
 */
async function withoutIndexes(client: pg.Client, tables: string[]): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid::regclass::text = ANY($1) AND NOT indisprimary`,
    [tables],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return async () => {
    for (const { definition } of rows) await client.query(definition);
  };
}

interface Leads {
  tenant: string;
  count: number;
  firstId: number;
  firstUser: number;
}

function leads({ tenant, count, firstId, firstUser }: Leads): string {
  const spread = (prime: number, modulus: number) => `((n::bigint * ${prime} % 3000017) % ${modulus})`;
  const one = (values: string[], prime: number) =>
    `(ARRAY[${values.map((value) => `'${value}'`).join(',')}])[1 + ${spread(prime, values.length)}]`;
  const name = (prime: number) =>
    `initcap(${one(starts, prime)} || ${one(middles, prime + 2)} || ${one(ends, prime + 6)})`;
  return `
    INSERT INTO lead (tenant_id, environment, id, email, first_name, last_name, phone, source, status, score, assigned_to, team_id,
      custom_fields, tags, external_id, converted_at, created_by, created_at, updated_at, deleted_at)
    SELECT ${tenant}, 'live', ${firstId} + n,
      lower(${name(7_919)}) || '.' || n || '@' || ${one(['example.com', 'mail.example', 'acme.example', 'corp.example'], 13)},
      ${name(7_919)}, ${name(104_729)} || ${one(ends, 611_953)},
      CASE WHEN n % 3 > 0 THEN '+49' || (1000000000::bigint + n) END,
      CASE WHEN n % 1000 = 7 THEN 'referral' WHEN n % 20 = 3 THEN 'manual' WHEN n % 20 < 3 THEN 'api' WHEN n % 20 < 10 THEN 'import' ELSE 'web' END,
      CASE WHEN n % 97 < 48 THEN 'new' WHEN n % 97 < 78 THEN 'contacted' WHEN n % 97 < 92 THEN 'qualified' ELSE 'unqualified' END,
      ${spread(48_271, 101)}, ${firstUser} + ${spread(31, users)}, 1 + ${spread(31, 20)},
      jsonb_build_object('color', ${one(['red', 'green', 'blue', 'white', 'black'], 13)}, 'seats', ${spread(17, 500)}, 'account', 'A-' || n),
      CASE WHEN n % 20000 = 11 THEN ARRAY['vip'] WHEN n % 3 = 0 THEN ARRAY['tag' || ${spread(37, 50)}] ELSE '{}' END,
      CASE WHEN n % 3 = 0 THEN 'EXT-' || n END,
      CASE WHEN n % 33 = 5 THEN now() END, ${firstUser} + ${spread(53, users)},
      now() - (${count} - n) * interval '30 seconds', now() - ${spread(7_919, 3_000_000)} * interval '25 seconds',
      CASE WHEN n % 100 = 50 THEN now() END
    FROM generate_series(1, ${count}) n`;
}

const starts = 'ka mo ri te lu ba sen vor nil pa dro fe gu hal jo qui za wen ty or'.split(' ');
const middles = 'ran del mi tos vek la bri nu gar lo sa pe chi dun ef'.split(' ');
const ends = 'son a er ini ova ez berg is ton ko'.split(' ');

function opportunities(tenantId: number, firstUser: number): string {
  return `
    INSERT INTO opportunity (tenant_id, environment, id, name, value_minor, value, currency, status, stage, stage_id, probability,
      lead_id, owner_id, team_id, created_by, created_at, updated_at, expected_close_at)
    SELECT ${tenantId}, 'live', 10000000 + n, 'Deal ' || md5(n::text), n * 100, n, 'EUR',
      CASE WHEN n % 10 < 6 THEN 'open' WHEN n % 10 < 8 THEN 'won' ELSE 'lost' END, 'prospecting', 1, n % 101,
      CASE WHEN n % 2 = 0 THEN 10000000 + n END, ${firstUser} + n % ${users}, 1 + n % 20, ${firstUser} + n % ${users}, now() - (${size.opportunities} - n) * interval '5 minutes',
      now() - (n::bigint * 7919 % 200000) * interval '5 minutes', CASE WHEN n % 4 > 0 THEN now() + (n % 365) * interval '1 day' END
    FROM generate_series(1, ${size.opportunities}) n`;
}
