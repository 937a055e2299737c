import { engagementRecorded, type engagementTypes } from '@tandem/analytics-contract';
import { leadCreated, leadRestored, leadUpdated, type scoredEventTypes } from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { columnOf } from '../leads/lead-conditions.ts';
import { dayOf } from './points.ts';
import { rescoreLeads } from './rescore.ts';
import { activeRules, type RuleRecord } from './scoring-rule.ts';
import type { ScoreCause } from './write-score.ts';

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
  on: [leadCreated, leadUpdated, leadRestored, engagementRecorded],
  async handle(events, { tx, emit }: ConsumerContext<Tx>) {
    const engaged = await countEngagement(tx, events.filter(isEngagement));
    const rules = await activeRules(tx);
    if (!rules.length) return;
    const causes = new Map<number, ScoreCause>(engaged.map((leadId) => [leadId, 'engagement']));
    for (const event of events) {
      const cause = isEngagement(event) ? undefined : causeOf(event, rules);
      if (cause) causes.set(event.record.id, cause);
    }
    await rescoreLeads({ tx, emit }, causes);
  },
});

type Engagement = Received<typeof engagementRecorded>;
type LeadEvent = Received<typeof leadCreated | typeof leadUpdated | typeof leadRestored>;

function isEngagement(event: Engagement | LeadEvent): event is Engagement {
  return event.name === 'engagement.recorded';
}

/** Why the event changes the score; undefined if no rule reads what it changed. */
function causeOf(event: LeadEvent, rules: readonly RuleRecord[]): ScoreCause | undefined {
  if (event.name === 'lead.created') return 'lead_created';
  if (event.name === 'lead.restored') return 'lead_restored';
  const { changes } = event.data;
  const isRead = rules.some(({ field }) => field !== null && columnOf(field) in changes);
  return isRead ? 'lead_updated' : undefined;
}

/** Adds events to the counts of their leads; returns the leads. Leads that were purged have no counts. */
async function countEngagement(tx: Tx, events: readonly Engagement[]): Promise<number[]> {
  const caused = events.flatMap(({ record: { leadId, type, timestamp, automated } }) =>
    leadId === null || automated ? [] : [{ leadId, type, day: dayOf(timestamp) }],
  );
  if (!caused.length) return [];
  // Rows are written in the order of their keys, so that no two batches wait for each other.
  const rows = await tx.sql<{ leadId: number }>`
    INSERT INTO lead_engagement (lead_id, type, day, count)
    SELECT event."leadId", event.type, DATE '1970-01-01' + event.day, count(*)
    FROM jsonb_to_recordset(${JSON.stringify(caused)}::jsonb) AS event ("leadId" bigint, type text, day int)
    JOIN lead ON lead.id = event."leadId"
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (tenant_id, environment, lead_id, type, day) DO UPDATE
      SET count = lead_engagement.count + excluded.count
    RETURNING lead_id AS "leadId"`;
  return [...new Set(rows.map(({ leadId }) => leadId))];
}
