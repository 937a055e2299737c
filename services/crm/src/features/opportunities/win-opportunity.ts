import { type opportunities, opportunityStageChanged, opportunityWon } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { closeOpportunity, lockOpportunity, stageChanges } from './opportunity.ts';

export const winOpportunity: Handler<typeof opportunities.winOpportunity> = async (context) => {
  const { params, body, caller, tx, emit, ifMatch } = context;
  const opportunity = await lockOpportunity(tx, params.id);
  ifMatch(opportunity);
  const won = await closeOpportunity(tx, opportunity, { ...body, result: 'won' }, caller);
  const { id: opportunityId, value, currency, stage } = won;
  emit(opportunityStageChanged, {
    data: { opportunityId, from: opportunity.stage, to: stage },
    record: won,
    changes: stageChanges(opportunity, won),
  });
  emit(opportunityWon, { data: { opportunityId, value, currency }, record: won });
  return won;
};
