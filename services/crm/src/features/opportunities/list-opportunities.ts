import type { opportunities } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asOpportunity } from './opportunity.ts';

export const listOpportunities: Handler<typeof opportunities.listOpportunities> = async ({ query, tx, list }) => {
  const {
    stage,
    stageId,
    status,
    ownerId,
    teamId,
    leadId,
    accountId,
    currency,
    valueMin,
    valueMax,
    closeFrom,
    closeTo,
  } = query;
  const page = await list({
    model: tx.opportunity,
    where: {
      ...(stage && { stage }),
      ...(stageId !== undefined && { stageId }),
      ...(status && { status }),
      ...(ownerId !== undefined && { ownerId }),
      ...(teamId !== undefined && { teamId }),
      ...(leadId !== undefined && { leadId }),
      ...(accountId !== undefined && { accountId }),
      ...(currency && { currency }),
    },
    and: [
      ...(valueMin === undefined ? [] : [{ value: { gte: valueMin } }]),
      ...(valueMax === undefined ? [] : [{ value: { lte: valueMax } }]),
      ...(closeFrom ? [{ expectedCloseAt: { gte: closeFrom } }] : []),
      ...(closeTo ? [{ expectedCloseAt: { lte: closeTo } }] : []),
    ],
    searchIn: ['name'],
    nullable: ['expectedCloseAt'],
  });
  return { ...page, items: page.items.map(asOpportunity) };
};
