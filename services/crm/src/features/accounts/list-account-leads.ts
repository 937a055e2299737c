import type { accounts } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asLead } from '../leads/lead.ts';
import { listedLeads } from '../leads/list-leads.ts';

export const listAccountLeads: Handler<typeof accounts.listAccountLeads> = {
  async check({ params, tx, under }) {
    const where = { id: params.id, deletedAt: null };
    if (!(await under('accounts:read', () => tx.account.count({ where })))) throw fail('not_found');
  },
  async run({ params, query, tx, list }) {
    const page = await list({ model: tx.lead, ...listedLeads({ accountId: params.id, status: query.status }, []) });
    return { ...page, items: page.items.map(asLead) };
  },
};
