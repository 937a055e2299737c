import type { recommendations } from '@tandem/agents-contract';
import type { Handler, Tools } from '../../handler.ts';
import { checkLeadReadable } from '../../lead-reach.ts';
import { checkMayPerform } from '../actions/permissions.ts';
import { asRecommendation, decide, performJob } from './recommendation.ts';

export const acceptRecommendation = (tools: Tools): Handler<typeof recommendations.acceptRecommendation> => ({
  async check({ params, caller, tx }) {
    const row = await tx.recommendation.findFirst({ where: { id: params.id } });
    await checkLeadReadable(tools, caller, row);
    if (row) await checkMayPerform(tools, caller, { action: asRecommendation(row).proposal, leadId: row.leadId });
  },
  async run({ params, ...context }) {
    const row = await context.tx.recommendation.findFirst({ where: { id: params.id } });
    // A recommendation of an earlier release has no action.
    const hasAction = row?.proposal !== null;
    const decided = await decide(context, params.id, { status: 'accepted', ...(hasAction && { effect: 'pending' }) });
    if (hasAction) await context.schedule(performJob, [{ recommendationId: params.id }]);
    return decided;
  },
});
