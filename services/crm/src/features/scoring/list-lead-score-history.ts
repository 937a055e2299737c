import { LeadScoreChange, type leadScores } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

const columns = LeadScoreChange.pick({ cause: true });

export const listLeadScoreHistory: Handler<typeof leadScores.listLeadScoreHistory> = {
  async check({ params, tx }) {
    if (!(await tx.lead.count({ where: { id: params.id, deletedAt: null } }))) throw fail('not_found');
  },
  async run({ params, tx, list }) {
    const page = await list({ model: tx.leadScoreChange, where: { leadId: params.id } });
    return { ...page, items: page.items.map((row) => ({ ...row, ...columns.parse(row) })) };
  },
};
