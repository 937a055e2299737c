import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import { rescoreLeads } from './rescore.ts';
import { activeRules } from './scoring-rule.ts';
import { decayScoresJob, lockState, nextDecayAt } from './scoring-state.ts';

/** Leads with events that are read in one transaction, whether their points still fade or not. */
const batchMax = 500;
// Points that faded to 0 on days without a run, for example of a suspended tenant, are still corrected.
const missedDaysMax = 31;

/** Recalculates the leads with events whose points fade: every day, while there are such rules. */
export const decayScores = job({
  ...decayScoresJob,
  lane: 'scores',
  async run({ finish }: JobContext<object, Tx>) {
    await finish(async (inside) => {
      const { tx } = inside;
      const { tenantId, decayAfter } = await lockState(tx);
      const rules = (await activeRules(tx)).filter(({ decayDays }) => decayDays !== null);
      if (!rules.length) {
        await tx.scoringState.updateMany({ where: { tenantId }, data: { decayScheduled: false, decayAfter: 0 } });
        return undefined;
      }
      const types = [...new Set(rules.flatMap(({ eventType }) => eventType ?? []))];
      const days = Math.max(...rules.map(({ decayDays }) => decayDays ?? 0)) + missedDaysMax;
      const rows = await nextLeads(tx, { after: decayAfter, types, days });
      await rescoreLeads(inside, new Map(rows.filter(({ fades }) => fades).map(({ id }) => [id, 'decay'])));
      const isLast = rows.length < batchMax;
      await tx.scoringState.updateMany({
        where: { tenantId },
        data: { decayAfter: isLast ? 0 : (rows.at(-1)?.id ?? 0) },
      });
      return isLast ? nextDecayAt() : new Date();
    });
  },
  async giveUp({ schedule }: GiveUpContext<object, Tx>) {
    await schedule(decayScoresJob, [{}], nextDecayAt());
  },
});

/**
 * The next leads with events, and whether the points of their events may still fade. One index lookup finds the next lead,
 * so that neither leads with many counts nor many leads with old events make a step longer.
 */
function nextLeads(
  tx: Tx,
  { after, types, days }: { after: number; types: string[]; days: number },
): Promise<{ id: number; fades: boolean }[]> {
  return tx.sql<{ id: number; fades: boolean }>`
    WITH RECURSIVE engaged (id) AS (
      SELECT min(lead_id) FROM lead_engagement WHERE lead_id > ${after}::bigint
      UNION ALL
      SELECT (SELECT min(lead_id) FROM lead_engagement WHERE lead_id > engaged.id) FROM engaged WHERE id IS NOT NULL)
    SELECT id, EXISTS (SELECT FROM lead_engagement WHERE lead_id = engaged.id AND type = ANY(${types}::text[])
      AND day > (now() AT TIME ZONE 'UTC')::date - ${days}::int) AS fades
    FROM engaged WHERE id IS NOT NULL LIMIT ${batchMax}`;
}
