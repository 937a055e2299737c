import { isDeepStrictEqual } from 'node:util';
import { leadUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { asLead, type LeadRecord } from '../leads/lead.ts';
import { type Component, componentsOf, type DayCount, dayOf, scoreOf } from './points.ts';
import { activeRules, type RuleRecord } from './scoring-rule.ts';
import { type ScoreCause, scoreChanged, storedComponents } from './write-score.ts';

/** The score of a lead by the current rules; undefined while no rule is active. */
export async function calculateScore(
  tx: Tx,
  lead: LeadRecord,
): Promise<{ score: number; components: Component[] } | undefined> {
  const rules = await activeRules(tx);
  if (!rules.length) return undefined;
  const engagement = (await readEngagement(tx, rules, [lead.id])).get(lead.id) ?? [];
  const components = componentsOf(rules, { lead, engagement, today: dayOf(new Date()) });
  return { score: scoreOf(components), components };
}

/**
 * Recalculates leads by the current rules, each with version, event and history. Deleted leads, pinned scores, and all
 * scores while no rule is active stay as they are. The rules are read under the locks of the leads: a change of rules
 * that is not visible yet starts a recount, which waits for these locks.
 * @returns how many scores changed
 */
export async function rescoreLeads(
  { tx, emit }: { tx: Tx; emit: Emit },
  causes: ReadonlyMap<number, ScoreCause>,
): Promise<number> {
  const leadIds = await lockScored(tx, [...causes.keys()]);
  if (!leadIds.length) return 0;
  const rules = await activeRules(tx);
  if (!rules.length) return 0;
  const rows = await tx.lead.findMany({ where: { id: { in: leadIds } } });
  const engagement = await readEngagement(tx, rules, leadIds);
  const now = new Date();
  const scored = rows.map((row) => {
    const lead = asLead(row);
    const components = componentsOf(rules, { lead, engagement: engagement.get(lead.id) ?? [], today: dayOf(now) });
    const before = storedComponents(row.scoreComponents);
    const cause = causes.get(lead.id) ?? 'recalculated';
    return { lead, components, before, cause, score: scoreOf(components), wasScored: row.scoredAt !== null };
  });
  const isChanged = (one: (typeof scored)[number]) => one.score !== one.lead.score;
  const written = scored.filter(
    (one) =>
      isChanged(one) ||
      !isDeepStrictEqual(one.components, one.before) ||
      // The assignment of new leads waits until their score was calculated.
      (one.cause === 'lead_created' && !one.wasScored),
  );
  const updates = written.map((one) => ({
    id: one.lead.id,
    score: one.score,
    components: one.components,
    changed: isChanged(one),
  }));
  await writeScores(tx, updates, now);
  const changes = written.filter(isChanged).map((one) => {
    const { lead, before, components, score } = one;
    const cause = causeOf(one);
    const updated = { ...lead, score, scorePinned: false, version: lead.version + 1, updatedAt: now };
    emit(leadUpdated, {
      data: { leadId: lead.id, changes: { score }, scoreCause: cause },
      record: updated,
      changes: { score: { from: lead.score, to: score } },
    });
    return { from: lead.score, lead: updated, cause, ruleId: onlyDifference(before, components) };
  });
  await scoreChanged({ tx, emit }, changes);
  return changes.length;
}

/** Locks the leads whose scores may be recalculated, in the order of their ids so that no two batches wait for each other. */
async function lockScored(tx: Tx, leadIds: number[]): Promise<number[]> {
  if (!leadIds.length) return [];
  // The strength of an UPDATE, which permits that other transactions insert rows that refer to the leads.
  const rows = await tx.sql<{ id: number }>`SELECT id FROM lead
    WHERE id = ANY(${leadIds}::bigint[]) AND deleted_at IS NULL AND NOT coalesce(score_pinned, score <> 0)
    ORDER BY id FOR NO KEY UPDATE`;
  return rows.map(({ id }) => id);
}

/** The events of the types that rules count, by lead. */
async function readEngagement(
  tx: Tx,
  rules: readonly RuleRecord[],
  leadIds: number[],
): Promise<Map<number, DayCount[]>> {
  const types = [...new Set(rules.flatMap(({ eventType }) => eventType ?? []))];
  if (!types.length) return new Map();
  const rows = await tx.sql<DayCount & { leadId: number }>`
    SELECT lead_id AS "leadId", type, (day - DATE '1970-01-01') AS day, count FROM lead_engagement
    WHERE lead_id = ANY(${leadIds}::bigint[]) AND type = ANY(${types}::text[])`;
  return Map.groupBy(rows, ({ leadId }) => leadId);
}

/** Writes scores and their parts. Only a changed score is a new version of the lead. */
async function writeScores(
  tx: Tx,
  updates: { id: number; score: number; components: Component[]; changed: boolean }[],
  now: Date,
): Promise<void> {
  if (!updates.length) return;
  await tx.sql`
    UPDATE lead SET score = row.score, score_components = row.components, score_pinned = false,
      scored_at = ${now}::timestamptz, version = lead.version + row.changed::int,
      updated_at = CASE WHEN row.changed THEN ${now}::timestamptz ELSE lead.updated_at END
    FROM jsonb_to_recordset(${JSON.stringify(updates)}::jsonb)
      AS row (id bigint, score float, components jsonb, changed boolean)
    WHERE lead.id = row.id`;
}

interface Scored {
  before: readonly Component[];
  components: readonly Component[];
  cause: ScoreCause;
  wasScored: boolean;
}

/**
 * The cause to record. The score follows from the current lead and its current counts, so the event of a change can be
 * handled together with one that came before it, or after it: the parts that differ tell whether engagement or the lead
 * itself changed the score.
 */
function causeOf({ before, components, cause, wasScored }: Scored): ScoreCause {
  const groups = new Set(differences(before, components).map(({ group }) => group));
  const [group] = groups;
  if (groups.size !== 1) return cause;
  if (group === 'engagement' && (cause === 'lead_created' || cause === 'lead_updated')) return 'engagement';
  if (group === 'fit' && cause === 'engagement') return wasScored ? 'lead_updated' : 'lead_created';
  return cause;
}

/** The only rule whose points differ; null if there are several, or none. */
function onlyDifference(before: readonly Component[], after: readonly Component[]): number | null {
  const [first, ...others] = differences(before, after);
  return first && !others.length ? first.ruleId : null;
}

/** The parts that have other points than before, each rule once. */
function differences(before: readonly Component[], after: readonly Component[]): Component[] {
  const rules = new Map([...before, ...after].map((component) => [component.ruleId, component]));
  const pointsIn = (components: readonly Component[], rule: number) =>
    components.find(({ ruleId }) => ruleId === rule)?.points;
  return [...rules.values()].filter(({ ruleId }) => pointsIn(before, ruleId) !== pointsIn(after, ruleId));
}
