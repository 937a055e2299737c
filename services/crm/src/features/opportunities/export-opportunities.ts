import { exportPageMax } from '@tandem/contract';
import type { internalExports } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asOpportunity } from './opportunity.ts';

export const exportOpportunities: Handler<typeof internalExports.exportOpportunities> = async ({
  body,
  caller,
  tx,
}) => {
  if (caller.tenantId === undefined) return [];
  const rows = await tx.opportunity.findMany({
    where: { id: { gt: body.after ?? 0 } },
    orderBy: { id: 'asc' },
    take: exportPageMax,
  });
  const entries = await tx.stageEntry.findMany({
    where: { opportunityId: { in: rows.map(({ id }) => id) } },
    orderBy: { id: 'asc' },
    select: { opportunityId: true, stage: true, enteredAt: true },
  });
  const byOpportunity = Map.groupBy(entries, ({ opportunityId }) => opportunityId);
  return rows.map((row) => ({
    record: asOpportunity(row),
    isDeleted: row.deletedAt !== null,
    wonAt: row.status === 'won' ? row.stageEnteredAt : null,
    stages: (byOpportunity.get(row.id) ?? []).map(({ stage, enteredAt }) => ({ stage, at: enteredAt })),
  }));
};
