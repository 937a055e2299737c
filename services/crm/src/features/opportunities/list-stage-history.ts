import { type opportunityStages, StageEntry } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

const columns = StageEntry.pick({ status: true });

export const listStageHistory: Handler<typeof opportunityStages.listStageHistory> = async ({ params, tx, list }) => {
  const { id: opportunityId } = params;
  if (!(await tx.opportunity.count({ where: { id: opportunityId, deletedAt: null } }))) throw fail('not_found');
  const page = await list({ model: tx.stageEntry, where: { opportunityId } });
  const items = page.items.map((row) => {
    const { enteredAt, leftAt } = row;
    const durationMs = Math.max(0, (leftAt?.getTime() ?? Date.now()) - enteredAt.getTime());
    return { ...row, ...columns.parse(row), durationSeconds: Math.floor(durationMs / 1_000) };
  });
  return { ...page, items };
};
