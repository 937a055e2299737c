import type { recommendations } from '@tandem/agents-contract';
import type { Handler, Tools } from '../../handler.ts';
import { checkLeadReadable } from '../../lead-reach.ts';
import { decide } from './recommendation.ts';

export const acceptRecommendation = (tools: Tools): Handler<typeof recommendations.acceptRecommendation> => ({
  check: async ({ params, caller, tx }) =>
    checkLeadReadable(tools, caller, await tx.recommendation.findFirst({ where: { id: params.id } })),
  run: ({ params, ...context }) => decide(context, params.id, { status: 'accepted' }),
});
