import type { accounts } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asOpportunity } from '../opportunities/opportunity.ts';

export const listAccountOpportunities: Handler<typeof accounts.listAccountOpportunities> = {
  async check({ params, tx, under }) {
    const where = { id: params.id, deletedAt: null };
    if (!(await under('accounts:read', () => tx.account.count({ where })))) throw fail('not_found');
  },
  async run({ params, query, tx, list }) {
    const where = { accountId: params.id, deletedAt: null, ...(query.status && { status: query.status }) };
    const page = await list({ model: tx.opportunity, where });
    return { ...page, items: page.items.map(asOpportunity) };
  },
};
