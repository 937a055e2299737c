/**
 * Number of users that own the large tenant's records. Except for the first one, they do not exist in identity; lists do
 * not need them.
 */
export const users = 200;

/** Where generated records go. `tenant` and the ids are SQL. */
export interface Target {
  tenant: string;
  count: number;
  firstId: number;
  firstUser: number;
  /** The number of leads and accounts that the records refer to, with the same first id. */
  leads: number;
  accounts: number;
}

/** The stages of the default pipeline. */
export interface Stages {
  pipelineId: number;
  open: Stage;
  won: Stage;
  lost: Stage;
}

interface Stage {
  id: number;
  code: string;
}

/** The columns of the sortable custom field `seats`, by the kind of record. */
export type SeatColumns = Record<'lead' | 'opportunity' | 'account', string>;

export const seatsOf = 'n::bigint * 17 % 3000017 % 500';
const owner = (firstUser: number, prime: number) => `${firstUser} + n::bigint * ${prime} % 3000017 % ${users}`;
const spreadTime = (count: number, hours: number) =>
  `now() - (${count} - n) * interval '${hours} hours' / ${count} * 1000`;

export function accounts({ tenant, count, firstId, firstUser }: Target, column: string): string {
  return `
    INSERT INTO account (tenant_id, environment, id, name, domain, industry, size, owner_id, team_id, parent_account_id,
      tags, custom_fields, ${column}, created_by, created_at, updated_at, deleted_at)
    SELECT ${tenant}, 'live', ${firstId} + n, 'Company ' || md5(n::text), 'company' || n || '.example',
      (ARRAY['software','retail','energy','health','finance'])[1 + n % 5], n % 5000, ${owner(firstUser, 31)}, 1 + n % 20,
      CASE WHEN n % 10 = 3 THEN ${firstId} + 1 + n % 50 END, CASE WHEN n % 500 = 7 THEN ARRAY['key'] ELSE '{}' END,
      jsonb_build_object('seats', ${seatsOf}), ${seatsOf}, ${owner(firstUser, 53)},
      ${spreadTime(count, 8)}, ${spreadTime(count, 7)}, CASE WHEN n % 100 = 50 THEN now() END
    FROM generate_series(1, ${count}) n`;
}

export function tasks({ tenant, count, firstId, firstUser, leads }: Target): string {
  return `
    INSERT INTO task (tenant_id, environment, id, title, type, priority, status, due_at, lead_id, opportunity_id,
      assigned_to, team_id, completed_at, created_by, created_at, updated_at, deleted_at)
    SELECT ${tenant}, 'live', ${firstId} + n, 'Task ' || md5(n::text), (ARRAY['call','email','meeting','other'])[1 + n % 4],
      (ARRAY['low','normal','high','urgent'])[1 + n % 97 % 4],
      CASE WHEN n % 10 < 7 THEN 'completed' WHEN n % 10 < 9 THEN 'pending' ELSE 'in_progress' END,
      CASE WHEN n % 5 > 0 THEN now() + (n % 730 - 600) * interval '1 day' END,
      CASE WHEN n % 3 > 0 THEN ${firstId} + 1 + n::bigint * 7919 % ${leads} END,
      CASE WHEN n % 3 = 0 THEN ${firstId} + 1 + n % 1000 END, ${owner(firstUser, 31)}, 1 + n % 20,
      CASE WHEN n % 10 < 7 THEN now() END, ${owner(firstUser, 53)}, ${spreadTime(count, 9)}, ${spreadTime(count, 8)},
      CASE WHEN n % 100 = 50 THEN now() END
    FROM generate_series(1, ${count}) n`;
}

/** Activities; one lead and one account in a thousand have a long timeline. */
export function activities({ tenant, count, firstId, firstUser, leads, accounts }: Target): string {
  const lead = `CASE WHEN n % 100 = 0 THEN 1 ELSE n::bigint * 7919 % ${leads} END`;
  return `
    INSERT INTO activity (tenant_id, environment, id, type, kind, system, subject, lead_id, account_id, timeline_account_id,
      occurred_at, duration_seconds, direction, user_id, created_at, updated_at)
    SELECT ${tenant}, 'live', ${firstId} + n,
      CASE WHEN n % 4 = 0 THEN 'status' ELSE (ARRAY['call','email','meeting','note'])[1 + n % 97 % 4] END,
      CASE WHEN n % 4 = 0 THEN 'lead_status_changed' END, n % 4 = 0, 'Entry ' || n, ${firstId} + 1 + ${lead},
      CASE WHEN n % 50 = 0 THEN ${firstId} + 1 END, ${firstId} + 1 + CASE WHEN n % 50 = 0 THEN 0 ELSE n % ${accounts} END,
      ${spreadTime(count, 9)}, n % 3600, CASE WHEN n % 2 = 0 THEN 'inbound' ELSE 'outbound' END, ${owner(firstUser, 31)},
      ${spreadTime(count, 9)}, now()
    FROM generate_series(1, ${count}) n`;
}

export function calendarEvents({ tenant, count, firstId, firstUser, leads }: Target): string {
  return `
    INSERT INTO calendar_event (tenant_id, environment, id, uid, title, start_at, end_at, timezone, status, lead_id,
      opportunity_id, organizer_id, created_by, created_at, updated_at)
    SELECT ${tenant}, 'live', ${firstId} + n, 'size-' || ${firstId} + n, 'Meeting ' || md5(n::text), start_at,
      start_at + interval '45 minutes', 'Europe/Berlin',
      (ARRAY['scheduled','completed','cancelled'])[1 + n % 3], CASE WHEN n % 2 = 0 THEN ${firstId} + 1 + n % ${leads} END,
      CASE WHEN n % 5 = 0 THEN ${firstId} + 1 + n % 1000 END, ${owner(firstUser, 31)}, ${owner(firstUser, 53)},
      ${spreadTime(count, 9)}, ${spreadTime(count, 8)}
    FROM generate_series(1, ${count}) n,
      LATERAL (SELECT now() + (n % 1000 - 800) * interval '1 day' + n % 480 * interval '1 minute' AS start_at) AS time`;
}

export function opportunities(target: Target, stages: Stages, column: string): string {
  const { tenant, count, firstId, firstUser } = target;
  const { open, won, lost, pipelineId } = stages;
  const byStatus = (pick: (stage: Stage) => string) =>
    `CASE WHEN n % 10 < 6 THEN ${pick(open)} WHEN n % 10 < 8 THEN ${pick(won)} ELSE ${pick(lost)} END`;
  const created = `now() - (${count} - n) * interval '5 minutes'`;
  return `
    INSERT INTO opportunity (tenant_id, environment, id, name, value_minor, value, currency, status, pipeline_id, stage, stage_id,
      stage_entered_at, probability, lead_id, account_id, partner_id, owner_id, team_id, custom_fields, ${column}, created_by,
      created_at, updated_at, expected_close_at, closed_at)
    SELECT ${tenant}, 'live', ${firstId} + n, 'Deal ' || md5(n::text), n * 100, n, 'USD',
      CASE WHEN n % 10 < 6 THEN 'open' WHEN n % 10 < 8 THEN 'won' ELSE 'lost' END, ${pipelineId},
      ${byStatus(({ code }) => `'${code}'`)}, ${byStatus(({ id }) => String(id))}, ${created}, n % 101,
      CASE WHEN n % 2 = 0 THEN ${firstId} + n END, ${firstId} + 1 + n % ${target.accounts}, CASE WHEN n % 40 = 0 THEN 1 + n % 7 END,
      ${firstUser} + n % ${users}, 1 + n % 20, jsonb_build_object('seats', ${seatsOf}), ${seatsOf}, ${firstUser} + n % ${users},
      ${created}, now() - (n::bigint * 7919 % 200000) * interval '5 minutes',
      CASE WHEN n % 4 > 0 THEN now() + (n % 365) * interval '1 day' END,
      CASE WHEN n % 10 >= 6 THEN now() - (n % 365) * interval '1 day' END
    FROM generate_series(1, ${count}) n`;
}

/** Two stages of each opportunity: one that it has left, and the current one. */
export function stageEntries({ tenant, firstId, firstUser }: Target, { open }: Stages): string {
  return `
    INSERT INTO stage_entry (tenant_id, environment, id, opportunity_id, stage, stage_id, status, entered_at, left_at, by_user_id)
    SELECT tenant_id, environment, id * 2 + part, id, CASE part WHEN 0 THEN '${open.code}' ELSE stage END,
      CASE part WHEN 0 THEN ${open.id} ELSE stage_id END, CASE part WHEN 0 THEN 'open' ELSE status END,
      created_at + part * interval '3 days', CASE part WHEN 0 THEN created_at + interval '3 days' END, ${firstUser}
    FROM opportunity, generate_series(0, 1) AS part WHERE tenant_id = ${tenant} AND id > ${firstId}`;
}

/** The history of scores and the counts of engagement of every tenth lead. */
export function scores({ tenant, firstId, leads }: Target): string[] {
  return [
    `INSERT INTO lead_score_change (tenant_id, environment, id, lead_id, score, delta, cause)
     SELECT ${tenant}, 'live', ${firstId} + n, ${firstId} + n * 10, n % 101, n % 101, 'engagement'
     FROM generate_series(1, ${Math.floor(leads / 10)}) n`,
    `INSERT INTO lead_engagement (tenant_id, environment, lead_id, type, day, count)
     SELECT ${tenant}, 'live', ${firstId} + n * 10, 'email_open', current_date - n % 60, 1 + n % 5
     FROM generate_series(1, ${Math.floor(leads / 10)}) n`,
  ];
}
