import type { opportunityStages } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { changeOpportunity } from './change-opportunity.ts';
import { lockOpenOpportunity } from './opportunity.ts';

export const winOpportunity: Handler<typeof opportunityStages.winOpportunity> = async (context) => {
  const { params, body, caller, tx, emit, ifMatch } = context;
  const opportunity = await lockOpenOpportunity(tx, params.id, ifMatch);
  return changeOpportunity({ tx, emit, caller }, { opportunity, move: { ...body, status: 'won' } });
};
