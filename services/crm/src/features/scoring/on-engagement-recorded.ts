import { engagementRecorded, type engagementTypes } from '@tandem/analytics-contract';
import {
  columnOf,
  leadCreated,
  leadDeleted,
  leadRestored,
  leadUpdated,
  type scoredEventTypes,
} from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { dayOf } from './points.ts';
import { rescoreLeads } from './rescore.ts';
import { activeRules, type RuleRecord } from './scoring-rule.ts';
import type { ScoreCause } from './write-score.ts';

const mergesMax = 20;

// Both contracts list the types: this line does not compile when they differ.
type Same<A, B> = [A, B] extends [B, A] ? true : never;
true satisfies Same<(typeof engagementTypes)[number], (typeof scoredEventTypes)[number]>;

/**
 * Counts the engagement of leads, and recalculates scores after engagement and after changes that a rule reads. Reads the
 * current leads and counts instead of the records in the events, which may be late. Events that software caused, such as
 * clicks of a link scanner, do not count.
 */
export const scoreLeads = consumer({
  name: 'score-leads',
  on: [leadCreated, leadUpdated, leadRestored, leadDeleted, engagementRecorded],
  async handle(events, { tx, emit }: ConsumerContext<Tx>) {
    const engaged = await countEngagement(tx, events.filter(isEngagement));
    const rules = await activeRules(tx);
    if (!rules.length) return;
    const causes = new Map<number, ScoreCause>(engaged.map((leadId) => [leadId, 'engagement']));
    for (const event of events) {
      if (isEngagement(event)) continue;
      const cause = causeOf(event, rules);
      if (cause) causes.set(event.record.id, cause);
      // A merge adds the engagement of the merged lead, and its undoing takes it back.
      const survivorId = survivorOf(event);
      if (survivorId) causes.set(survivorId, 'engagement');
    }
    await rescoreLeads({ tx, emit }, causes);
  },
});

type Engagement = Received<typeof engagementRecorded>;
type LeadEvent = Received<typeof leadCreated | typeof leadUpdated | typeof leadRestored | typeof leadDeleted>;

function isEngagement(event: Engagement | LeadEvent): event is Engagement {
  return event.name === 'engagement.recorded';
}

/** Why the event changes the score; undefined if no rule reads what it changed. */
function causeOf(event: LeadEvent, rules: readonly RuleRecord[]): ScoreCause | undefined {
  if (event.name === 'lead.created') return 'lead_created';
  if (event.name === 'lead.restored') return 'lead_restored';
  if (event.name === 'lead.deleted') return undefined;
  const { changes } = event.data;
  const isRead = rules.some(({ field }) => field !== null && columnOf(field) in changes);
  return isRead ? 'lead_updated' : undefined;
}

function survivorOf(event: LeadEvent): number | null | undefined {
  if (event.name === 'lead.deleted') return event.data.mergedIntoId;
  return event.name === 'lead.restored' ? event.data.unmergedFromId : undefined;
}

/**
 * Adds events to the counts of their leads; returns the leads. Leads that were purged have no counts. An event of a merged
 * lead, which is late, also counts for the leads that it was merged into.
 */
async function countEngagement(tx: Tx, events: readonly Engagement[]): Promise<number[]> {
  const caused = events.flatMap(({ record: { leadId, type, timestamp, automated } }) =>
    leadId === null || automated ? [] : [{ leadId, type, day: dayOf(timestamp) }],
  );
  if (!caused.length) return [];
  const leadIds = [...new Set(caused.map(({ leadId }) => leadId))];
  // A merge that is not committed yet would not count them for its survivor.
  await tx.sql`SELECT FROM lead WHERE id = ANY(${leadIds}::bigint[]) ORDER BY id FOR KEY SHARE`;
  // Rows are written in the order of their keys, so that no two batches wait for each other.
  const rows = await tx.sql<{ leadId: number }>`
    WITH RECURSIVE counted (origin, id, step) AS (
      SELECT id, id, 0 FROM lead WHERE id = ANY(${leadIds}::bigint[])
      UNION ALL
      SELECT origin, merged_into_id, step + 1 FROM counted JOIN lead ON lead.id = counted.id
      WHERE merged_into_id IS NOT NULL AND step < ${mergesMax})
    INSERT INTO lead_engagement (lead_id, type, day, count)
    SELECT counted.id, event.type, DATE '1970-01-01' + event.day, count(*)
    FROM jsonb_to_recordset(${JSON.stringify(caused)}::jsonb) AS event ("leadId" bigint, type text, day int)
    JOIN counted ON counted.origin = event."leadId"
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (tenant_id, environment, lead_id, type, day) DO UPDATE
      SET count = lead_engagement.count + excluded.count
    RETURNING lead_id AS "leadId"`;
  return [...new Set(rows.map(({ leadId }) => leadId))];
}
