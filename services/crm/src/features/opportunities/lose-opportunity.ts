import { type opportunities, opportunityLost, opportunityStageChanged } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { closeOpportunity, lockOpportunity, stageChanges } from './opportunity.ts';

export const loseOpportunity: Handler<typeof opportunities.loseOpportunity> = async (context) => {
  const { params, body, caller, tx, emit, ifMatch } = context;
  const opportunity = await lockOpportunity(tx, params.id);
  ifMatch(opportunity);
  const lost = await closeOpportunity(tx, opportunity, { ...body, result: 'lost' }, caller);
  const { id: opportunityId, stage } = lost;
  emit(opportunityStageChanged, {
    data: { opportunityId, from: opportunity.stage, to: stage },
    record: lost,
    changes: stageChanges(opportunity, lost),
  });
  emit(opportunityLost, { data: { opportunityId, reason: body.reasonCode }, record: lost });
  return lost;
};
