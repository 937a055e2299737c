import type { opportunityStages } from '@tandem/crm-contract';
import { failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { changeOpportunity } from './change-opportunity.ts';
import { lockOpportunity } from './opportunity.ts';

export const moveOpportunity: Handler<typeof opportunityStages.moveOpportunity> = async (context) => {
  const { params, body, caller, tx, emit, ifMatch } = context;
  const opportunity = await lockOpportunity(tx, params.id);
  ifMatch(opportunity);
  if (body.stageId === undefined && body.stage === undefined)
    throw failField('stageId', 'Is required, unless stage has the code of the stage');
  return changeOpportunity({ tx, emit, caller }, { opportunity, move: body });
};
