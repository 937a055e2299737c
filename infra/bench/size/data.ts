import pg from 'pg';
import { fillTables } from './fill-tables.ts';
import * as records from './records.ts';
import { type SeatColumns, type Stages, seatsOf, type Target, users } from './records.ts';

const leadsOfLargeTenant = Number(process.env['BENCH_LEADS'] ?? 3_000_000);

/** Size of the data set: the records of the large tenant, and the other tenants. */
export const size = {
  leads: leadsOfLargeTenant,
  opportunities: Number(process.env['BENCH_OPPORTUNITIES'] ?? Math.ceil(leadsOfLargeTenant / 15)),
  accounts: Math.ceil(leadsOfLargeTenant / 60),
  tasks: Math.ceil(leadsOfLargeTenant / 3),
  activities: Math.ceil(leadsOfLargeTenant / 3),
  events: Math.ceil(leadsOfLargeTenant / 30),
  tenants: 1_000,
  leadsOfOthers: 100,
};

// Id of the first small tenant, far above the ids of tenants that are created during the benchmark.
const firstSmallTenant = 1_000_000;

/** The id before the first one of the large tenant's records. */
export const firstId = 10_000_000;
const firstIdOfOthers = 20_000_000;

const tables = [
  ...['lead', 'opportunity', 'account', 'task', 'activity', 'calendar_event', 'stage_entry'],
  ...['lead_score_change', 'lead_engagement'],
];

/**
 * Fills the database of crm: one tenant with millions of records, and many small ones. Multiplication by primes spreads
 * the values, so that columns are not correlated; `created_at` grows with the id, as in production.
 * @param tenant.firstUser the lowest id of the users that own records
 */
export async function fillCrm(
  url: string,
  tenant: { id: number; firstUser: number },
  log: (line: string) => void,
): Promise<void> {
  const { firstUser } = tenant;
  const fill = async (client: pg.Client) => {
    const columns = await seatColumns(client, tenant.id);
    const stages = await stagesOf(client, tenant.id);
    log(
      `filling crm: ${size.leads} leads, ${size.opportunities} opportunities, ${size.tasks} tasks and as many activities`,
    );
    const { leads: leadCount, accounts, opportunities, tasks, activities, events } = size;
    const large: Target = { tenant: String(tenant.id), count: 0, firstId, firstUser, leads: leadCount, accounts };
    const small: Target = {
      ...{ tenant: `${firstSmallTenant} + n % ${size.tenants}`, firstId: firstIdOfOthers, firstUser },
      ...{ count: size.tenants * size.leadsOfOthers, leads: size.tenants * size.leadsOfOthers, accounts: size.tenants },
    };
    const statements = [
      leads({ ...large, count: leadCount }, columns.lead),
      leads(small, columns.lead),
      records.accounts({ ...large, count: accounts }, columns.account),
      records.accounts({ ...small, count: size.tenants }, columns.account),
      records.opportunities({ ...large, count: opportunities }, stages, columns.opportunity),
      records.stageEntries(large, stages),
      records.tasks({ ...large, count: tasks }),
      records.tasks(small),
      records.activities({ ...large, count: activities }),
      records.activities(small),
      records.calendarEvents({ ...large, count: events }),
      ...records.scores(large),
    ];
    for (const statement of statements) await client.query(statement);
  };
  await fillTables(url, tables, fill, { log });
}

/** Adds leads to a tenant whose tables are not the large ones; their indexes are updated. */
export async function addLeads(url: string, tenant: { id: number; firstUser: number }, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SET session_replication_role = replica; SET statement_timeout = 0');
    const target = { tenant: String(tenant.id), count, firstId: 40_000_000, firstUser: tenant.firstUser };
    // A score of 0 is not pinned, so that a recount calculates it.
    await client.query(leads({ ...target, leads: count, accounts: 1 }, 'custom_number_1', '0'));
    await client.query('VACUUM (ANALYZE) lead');
  } finally {
    await client.end();
  }
}

/** The columns of the custom field `seats`, which the definitions of the tenant name. */
async function seatColumns(client: pg.Client, tenantId: number): Promise<SeatColumns> {
  const { rows } = await client.query<{ entity: keyof SeatColumns; slot: string }>(
    `SELECT entity_type AS entity, slot FROM custom_field WHERE tenant_id = $1 AND key = 'seats'`,
    [tenantId],
  );
  const column = (slot: string) => slot.replace(/[A-Z]|\d/g, (part) => `_${part.toLowerCase()}`);
  return Object.fromEntries(rows.map(({ entity, slot }) => [entity, column(slot)])) as SeatColumns;
}

async function stagesOf(client: pg.Client, tenantId: number): Promise<Stages> {
  const { rows } = await client.query<{ id: number; code: string; pipelineId: number; won: boolean; closed: boolean }>(
    `SELECT id, code, pipeline_id AS "pipelineId", is_won AS won, is_closed AS closed FROM status_definition
     WHERE tenant_id = $1 AND environment = 'live' AND pipeline_id IS NOT NULL ORDER BY sort_order`,
    [tenantId],
  );
  const [open, won, lost] = [
    rows.find(({ closed }) => !closed),
    rows.find((one) => one.won),
    rows.find((one) => one.closed && !one.won),
  ];
  if (!open || !won || !lost) throw new Error('The tenant has no pipeline');
  return { pipelineId: open.pipelineId, open, won, lost };
}

function leads({ tenant, count, firstId, firstUser, accounts }: Target, column: string, fixedScore?: string): string {
  const spread = (prime: number, modulus: number) => `((n::bigint * ${prime} % 3000017) % ${modulus})`;
  const one = (values: string[], prime: number) =>
    `(ARRAY[${values.map((value) => `'${value}'`).join(',')}])[1 + ${spread(prime, values.length)}]`;
  const name = (prime: number) =>
    `initcap(${one(starts, prime)} || ${one(middles, prime + 2)} || ${one(ends, prime + 6)})`;
  const status =
    "CASE WHEN n % 97 < 48 THEN 'new' WHEN n % 97 < 78 THEN 'contacted' WHEN n % 97 < 92 THEN 'qualified' ELSE 'unqualified' END";
  return `
    INSERT INTO lead (tenant_id, environment, id, email, first_name, last_name, phone, source, status, status_code, score, assigned_to, team_id,
      account_id, custom_fields, ${column}, tags, external_id, external_key, converted_at, created_by, created_at, updated_at, deleted_at)
    SELECT ${tenant}, 'live', ${firstId} + n,
      lower(${name(7_919)}) || '.' || n || '@' || ${one(['example.com', 'mail.example', 'acme.example', 'corp.example'], 13)},
      ${name(7_919)}, ${name(104_729)} || ${one(ends, 611_953)},
      CASE WHEN n % 3 > 0 THEN '+49' || (1000000000::bigint + n) END,
      CASE WHEN n % 1000 = 7 THEN 'referral' WHEN n % 20 = 3 THEN 'manual' WHEN n % 20 < 3 THEN 'api' WHEN n % 20 < 10 THEN 'import' ELSE 'web' END,
      ${status}, ${status}, ${fixedScore ?? spread(48_271, 101)}, ${firstUser} + ${spread(31, users)}, 1 + ${spread(31, 20)},
      CASE WHEN n % 2 = 0 THEN ${firstId} + 1 + n % ${accounts} END,
      jsonb_build_object('color', ${one(['red', 'green', 'blue', 'white', 'black'], 13)}, 'seats', ${seatsOf}, 'account', 'A-' || n), ${seatsOf},
      CASE WHEN n % 20000 = 11 THEN ARRAY['vip'] WHEN n % 3 = 0 THEN ARRAY['tag' || ${spread(37, 50)}] ELSE '{}' END,
      CASE WHEN n % 3 = 0 THEN 'EXT-' || n END, CASE WHEN n % 3 = 0 THEN 'EXT-' || n END,
      CASE WHEN n % 33 = 5 THEN now() END, ${firstUser} + ${spread(53, users)},
      now() - (${count} - n) * interval '30 seconds', now() - ${spread(7_919, 3_000_000)} * interval '25 seconds',
      CASE WHEN n % 100 = 50 THEN now() END
    FROM generate_series(1, ${count}) n`;
}

const starts = 'ka mo ri te lu ba sen vor nil pa dro fe gu hal jo qui za wen ty or'.split(' ');
const middles = 'ran del mi tos vek la bri nu gar lo sa pe chi dun ef'.split(' ');
const ends = 'son a er ini ova ez berg is ton ko'.split(' ');
