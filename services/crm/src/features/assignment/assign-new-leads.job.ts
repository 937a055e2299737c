import { id } from '@tandem/contract';
import { type BatchContext, batchJob } from '@tandem/jobs';
import { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { asLead } from '../leads/lead.ts';
import { assignByRules } from './assign-by-rules.ts';
import { activeRules, lockAssignment, type RuleRecord } from './assignment-rule.ts';
import { findCandidates } from './choose-assignee.ts';
import { openLeads } from './open-leads.ts';

/** Job that assigns a new lead by the rules. */
export const assignNewLeadsJob = {
  name: 'assign-new-leads',
  payload: z.object({ tenantId: id('tenant'), leadId: id('lead') }),
};

type Payload = z.output<typeof assignNewLeadsJob.payload>;

const batchMax = 50;
const retryMs = 1_000;
// Longest wait for the first score of a lead, which rules may read.
const scoreWaitMs = 15_000;

/**
 * Assigns new leads in the order of their creation, each with a turn of its rule. A lead that somebody assigned meanwhile,
 * or for which nobody is available, stays as it is.
 */
export const assignNewLeads = (peers: Peers) =>
  batchJob({
    ...assignNewLeadsJob,
    batchMax,
    async run({ due, tx, outside, finish }: BatchContext<Payload, Tx>) {
      const [first] = due;
      if (!first) return;
      const { tenantId, leadId } = first.payload;
      const known = await activeRules(tx, { applyToNew: true });
      const as = { tenantId, environment: 'live' as const, requestId: `assign_lead_${leadId}` };
      const candidates = await outside(() => findCandidates(peers, known, as));
      await finish(async ({ tx: inside, emit }) => {
        await lockAssignment(inside);
        const rules = await activeRules(inside, { applyToNew: true });
        const isScored = rules.some(readsScore) && (await inside.scoringRule.count({ where: { active: true } })) > 0;
        const choice = { rules, candidates, openLeads: openLeads(inside) };
        const again = new Map<number, Date>();
        const leadIds = due.map(({ payload }) => payload.leadId).sort((one, other) => one - other);
        for (const each of leadIds) {
          const row = await inside.lead.lockFirst({ where: { id: each } });
          if (!row || row.deletedAt || row.convertedAt || row.assignedTo !== null) continue;
          const isWaiting = isScored && row.scoredAt === null && Date.now() - row.createdAt.getTime() < scoreWaitMs;
          if (isWaiting) again.set(each, new Date(Date.now() + retryMs));
          else await assignByRules({ tx: inside, emit }, asLead(row), choice);
        }
        return due.map(({ payload }) => again.get(payload.leadId));
      });
    },
  });

function readsScore({ match }: RuleRecord): boolean {
  return match.some(({ field }) => field === 'score');
}
