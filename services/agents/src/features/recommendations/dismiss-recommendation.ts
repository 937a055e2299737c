import type { recommendations } from '@tandem/agents-contract';
import type { Handler, Tools } from '../../handler.ts';
import { checkLeadReadable } from '../../lead-reach.ts';
import { decide } from './recommendation.ts';

export const dismissRecommendation = (tools: Tools): Handler<typeof recommendations.dismissRecommendation> => ({
  check: async ({ params, caller, tx }) =>
    checkLeadReadable(tools, caller, await tx.recommendation.findFirst({ where: { id: params.id } })),
  run: ({ params, body, ...context }) =>
    decide(context, params.id, { status: 'dismissed', dismissReason: body.reason ?? null }),
});
