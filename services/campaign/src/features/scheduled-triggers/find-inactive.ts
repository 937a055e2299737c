import { readLeadsMax } from '@tandem/crm-contract';
import type { Find } from './search.ts';

const dayMs = 86_400_000;

/** Leads whose last engagement was the given number of days ago within the search. What only the platform did does not count. */
export const findInactive: Find = async ({ crm }, tx, { data, from, until, after, seen, as }) => {
  const days = (data.inactiveDays ?? 0) * dayMs;
  const [since, to] = [new Date(from.getTime() - days), new Date(until.getTime() - days)];
  const rows = await tx.sql<{ leadId: number; at: Date }>`
    SELECT last.lead_id AS "leadId", max(last.at) AS at FROM engagement AS last
    WHERE last.tenant_id = platform.tenant_id() AND last.environment = platform.environment()
      AND last.at > ${since}::timestamptz AND last.at <= ${to}::timestamptz AND last.lead_id > ${after ?? 0}::bigint
      AND NOT last.automated AND last.type NOT IN ('email_sent', 'sms_sent')
      AND NOT EXISTS (SELECT FROM engagement AS later
        WHERE later.tenant_id = platform.tenant_id() AND later.environment = platform.environment()
          AND later.lead_id = last.lead_id AND later.at > ${to}::timestamptz
          AND NOT later.automated AND later.type NOT IN ('email_sent', 'sms_sent'))
    GROUP BY last.lead_id ORDER BY last.lead_id LIMIT ${readLeadsMax}`;
  const ids = rows.map(({ leadId }) => leadId);
  const leads = ids.length ? await crm.readLeads({ body: { ids }, as }) : [];
  const lastOf = new Map(rows.map(({ leadId, at }) => [leadId, at]));
  return {
    leads: leads.map((lead) => {
      const at = lastOf.get(lead.id) as Date;
      return { lead, event: `inactivity-${at.getTime()}`, payload: { lastEngagementAt: at } };
    }),
    seen: seen + ids.length,
    next: ids.length === readLeadsMax ? { part: 0, after: ids.at(-1) ?? null } : null,
  };
};
