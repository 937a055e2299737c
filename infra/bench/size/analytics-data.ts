import { engagementTypes } from '@tandem/analytics-contract';
import { fillTables } from './fill-tables.ts';

/** The sizes of the data of one tenant. */
export const sizes = {
  leads: Number(process.env['ANALYTICS_LEADS'] ?? 300_000),
  events: Number(process.env['ANALYTICS_EVENTS'] ?? 1_000_000),
  users: 200,
  teams: 20,
  days: 365,
};

/**
 * Fills the database of analytics by SQL. The sums of days are those of a tenant whose 200 users have events of every type on
 * every day: a dashboard reads sums, so their number decides how long it takes, and not that of events.
 * @param url the administrator's address of the database: row-level security does not apply
 */
export async function fillAnalytics(url: string, tenantId: number, log: (line: string) => void): Promise<void> {
  const { leads, events, users, teams, days } = sizes;
  const tables = ['lead_fact', 'engagement_event', 'measure', 'measure_total'];
  await fillTables(
    url,
    tables,
    async (client) => {
      await client.query('SET synchronous_commit = off');
      log(`${leads} leads`);
      await client.query(leadsSql, [tenantId, leads, users, teams]);
      log(`${events} events`);
      await client.query(eventsSql, [tenantId, events, leads, users, teams]);
      log('sums');
      await client.query(sumsSql, [tenantId, users, teams, days, engagementTypes.map((type) => `engagement.${type}`)]);
      await client.query(totalsSql, [tenantId]);
    },
    { log },
  );
}

const leadsSql = `INSERT INTO lead_fact (tenant_id, environment, id, version, is_deleted, timezone, status, source, score, user_id,
    team_id, has_phone, created_at)
  SELECT $1, 'live', n, 1, false, 'UTC', (ARRAY['new','contacted','qualified'])[1 + n % 3], (ARRAY['web','api','fair'])[1 + n % 3],
    n % 100, 1 + n % $3::int, 1 + n % $4::int, true, now() - n % 300 * interval '1 day'
  FROM generate_series(1, $2::int) AS n ON CONFLICT DO NOTHING`;

// Ten events of each lead that has some, in the order of the steps of a funnel: a million of the last weeks, and the others of the
// months before.
const eventsSql = `INSERT INTO engagement_event (tenant_id, environment, type, lead_id, message_id, "timestamp", automated, assigned_to,
    team_id, is_first, is_counted, created_at)
  SELECT $1, 'live',
    (ARRAY['email_sent','email_open','link_click','page_visit','form_submission','email_sent','email_open','page_visit','email_reply','page_visit'])[1 + n % 10],
    1 + (n / 10) % $3::int, 'm-' || n / 10, now() - interval '25 days' + n % 10 * interval '1 day' + n % 3600 * interval '1 second'
      - CASE WHEN n > 1000000 THEN 31 + n / 10 % 300 ELSE 0 END * interval '1 day', false,
    1 + (n / 10) % $4::int, 1 + (n / 10) % $5::int, true, true, now()
  FROM generate_series(1, $2::int) AS n`;

const sumsSql = `INSERT INTO measure (tenant_id, environment, day, name, value, user_id, team_id, shard, count)
  SELECT $1, 'live', current_date - day, kind.name, kind.value, owner, 1 + owner % $3::int, 0, 1 + (owner + day) % 50
  FROM generate_series(0, $4::int - 1) AS day CROSS JOIN generate_series(1, $2::int) AS owner CROSS JOIN (
    SELECT name, value FROM unnest($5::text[]) AS name CROSS JOIN unnest(ARRAY['first', 'again', 'automated']) AS value
    UNION ALL SELECT name, 'web' FROM unnest(ARRAY['leads.new', 'leads.converted', 'leads.conversions']) AS name
    UNION ALL SELECT name, 'EUR' FROM unnest(ARRAY['opportunities.new', 'opportunities.won', 'opportunities.lost']) AS name) AS kind
  ON CONFLICT DO NOTHING`;

// As the triggers of measure add them up: for all teams, and for each.
const totalsSql = `INSERT INTO measure_total (tenant_id, environment, team_id, name, day, value, shard, count, amount)
  SELECT tenant_id, environment, part.team_id, name, day, value, shard, sum(count), sum(amount)
  FROM measure CROSS JOIN LATERAL (SELECT DISTINCT unnest(ARRAY[0, measure.team_id])) AS part (team_id)
  WHERE tenant_id = $1 GROUP BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (tenant_id, environment, team_id, name, day, value, shard)
    DO UPDATE SET count = excluded.count, amount = excluded.amount`;
