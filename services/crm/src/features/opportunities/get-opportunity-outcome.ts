import type { opportunityStages } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { readOpportunity } from './opportunity.ts';

export const getOpportunityOutcome: Handler<typeof opportunityStages.getOpportunityOutcome> = async ({
  params,
  tx,
}) => {
  const { outcome, closedAt } = await readOpportunity(tx, params.id);
  if (!outcome || !closedAt) throw fail('opportunity_open');
  const { result, reasonCode } = outcome;
  const reason =
    reasonCode === null ? null : await tx.winLossReason.findFirst({ where: { outcome: result, code: reasonCode } });
  return { ...outcome, closedAt, reason: reason?.name ?? null };
};
