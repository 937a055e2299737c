import { type opportunityStages, opportunityStates } from '@tandem/crm-contract';
import { fail, transitionError } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { changeOpportunity } from './change-opportunity.ts';
import { lockOpportunity } from './opportunity.ts';

export const reopenOpportunity: Handler<typeof opportunityStages.reopenOpportunity> = async (context) => {
  const { params, body, caller, tx, emit, ifMatch } = context;
  const opportunity = await lockOpportunity(tx, params.id);
  ifMatch(opportunity);
  const { status } = opportunity;
  if (status === 'open') throw fail('opportunity_open', [transitionError(status, opportunityStates.next(status))]);
  return changeOpportunity({ tx, emit, caller }, { opportunity, move: { ...body, status: 'open' } });
};
