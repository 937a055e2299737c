import { id } from '@tandem/contract';
import { leadUpdated } from '@tandem/crm-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { lockLead, writeLead } from '../leads/lead.ts';
import { isPublicDomain } from './account-of-email.ts';

// Leads that are changed in one transaction; their locks last until its end.
const batchMax = 100;

/**
 * Gives an account the leads that have its domain and no account, batch by batch. Reads the current domain, because it may
 * have changed since the event.
 */
export const matchLeads = job({
  name: 'match-leads',
  payload: z.object({ accountId: id('account') }),
  async run({ payload: { accountId }, finish }: JobContext<{ accountId: number }, Tx>) {
    await finish(async ({ tx, emit }) => {
      const [account] = await tx.sql<{ domain: string | null }>`
        SELECT domain FROM account WHERE id = ${accountId} AND deleted_at IS NULL FOR KEY SHARE`;
      if (!account?.domain || isPublicDomain(account.domain)) return undefined;
      const leads = await tx.sql<{ id: number }>`
        SELECT id FROM lead_without_account(${account.domain}, ${batchMax}) AS id`;
      for (const { id: leadId } of leads) {
        const lead = await lockLead(tx, leadId).catch(() => undefined);
        // The lead may have got another account or address since it was found.
        if (lead?.accountId !== null || !lead.email.toLowerCase().endsWith(`@${account.domain}`)) continue;
        const updated = await writeLead(tx, leadId, { accountId });
        emit(leadUpdated, {
          data: { leadId, changes: { accountId } },
          record: updated,
          changes: { accountId: { from: null, to: accountId } },
        });
      }
      return leads.length === batchMax ? new Date() : undefined;
    });
  },
});
