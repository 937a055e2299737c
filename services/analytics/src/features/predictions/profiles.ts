import { type Fragment, fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import { type EngagementFeature, engagementFeatures, type Profile } from './columns.ts';

/** A lead and the time up to which it is read. */
export interface Asked {
  leadId: number;
  at: Date;
}

interface Found {
  leadId: number;
  source: string | null;
  hasPhone: boolean | null;
  hasAccount: boolean | null;
  hasPartner: boolean | null;
  hasOwner: boolean | null;
  ageDays: number;
  quietDays: number;
  recent: number[];
  earlier: number[];
}

const kinds = Object.entries(engagementFeatures) as [EngagementFeature, { event: string }][];
const events = kinds.map(([, { event }]) => event);

const fields = {
  present: fragment`fact.source, fact.has_phone AS "hasPhone", fact.account_id IS NOT NULL AS "hasAccount",
    fact.partner_id IS NOT NULL AS "hasPartner", fact.user_id IS NOT NULL AS "hasOwner"`,
  past: fragment`past.source, past.has_phone AS "hasPhone", past.has_account AS "hasAccount",
    past.has_partner AS "hasPartner", past.has_owner AS "hasOwner"`,
} as const;

/** Leads as they are. Deleted and unknown ones are left out. */
export function readProfiles(tx: Tx, leadIds: readonly number[], at: Date): Promise<Profile[]> {
  return read(
    tx,
    leadIds.map((leadId) => ({ leadId, at })),
    fields.present,
  );
}

/**
 * Leads as they were known before their outcomes: the last version before that in which they were open, and the events before
 * it. Without such a version their fields are null, because today's may follow from the outcome: a conversion sets the account.
 */
export function readPastProfiles(tx: Tx, asked: readonly Asked[]): Promise<Profile[]> {
  return read(tx, asked, fields.past);
}

async function read(tx: Tx, asked: readonly Asked[], columns: Fragment): Promise<Profile[]> {
  if (!asked.length) return [];
  const rows = await tx.sql<Found>`
    WITH asked AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) AS row ("leadId" bigint, at timestamptz))
    SELECT asked."leadId", ${columns},
      (greatest(0, extract(epoch FROM asked.at - fact.created_at)) / 86400)::float8 AS "ageDays",
      (greatest(0, extract(epoch FROM asked.at - coalesce(event.last, fact.created_at))) / 86400)::float8 AS "quietDays",
      (SELECT array_agg((SELECT count(*) FROM unnest(event.recent) AS one WHERE one = type) ORDER BY n)
        FROM unnest(${events}::text[]) WITH ORDINALITY AS kind (type, n))::float8[] AS recent,
      (SELECT array_agg((SELECT count(*) FROM unnest(event.earlier) AS one WHERE one = type) ORDER BY n)
        FROM unnest(${events}::text[]) WITH ORDINALITY AS kind (type, n))::float8[] AS earlier
    FROM asked JOIN lead_fact AS fact ON fact.id = asked."leadId" AND NOT fact.is_deleted AND fact.created_at IS NOT NULL
    LEFT JOIN LATERAL (SELECT max(timestamp) AS last,
        array_agg(type) FILTER (WHERE timestamp >= asked.at - interval '30 days') AS recent,
        array_agg(type) FILTER (WHERE timestamp < asked.at - interval '30 days') AS earlier
      FROM engagement_event WHERE lead_id = asked."leadId" AND timestamp < asked.at AND NOT automated
        AND type = ANY(${events}::text[])) AS event ON true
    LEFT JOIN LATERAL (SELECT * FROM lead_version WHERE lead_id = asked."leadId" AND lead_version.at < asked.at AND NOT is_closed
      ORDER BY version DESC LIMIT 1) AS past ON true`;
  return rows.map(({ recent, earlier, ...rest }) => ({ ...rest, recent: byKind(recent), earlier: byKind(earlier) }));
}

function byKind(counts: readonly number[]): Record<EngagementFeature, number> {
  return Object.fromEntries(kinds.map(([kind], index) => [kind, counts[index] ?? 0])) as Record<
    EngagementFeature,
    number
  >;
}
