import { id } from '@tandem/contract';
import { leadUpdated } from '@tandem/crm-contract';
import { type JobContext, job } from '@tandem/jobs';
import { isPublicDomain } from '@tandem/matching';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { writeLead } from '../leads/lead.ts';

// Leads that are changed in one transaction; their locks last until its end.
const batchMax = 100;

/**
 * Gives an account the leads that have its domain and no account, or a deleted one, batch by batch. Reads the current domain, because it may
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
      const suffix = `@${account.domain}`;
      const leads = await tx.sql<{ id: number }>`
        (SELECT id FROM lead_without_account(${account.domain}, ${batchMax}) AS id)
        UNION ALL
        (SELECT lead.id FROM account JOIN lead ON lead.account_id = account.id
          WHERE account.domain = ${account.domain} AND account.deleted_at IS NOT NULL AND account.merged_into_id IS NULL
            AND lead.deleted_at IS NULL AND right(lead.email_key, ${suffix.length}::int) = ${suffix}
          ORDER BY lead.id)
        LIMIT ${batchMax}`;
      const ids = leads.map(({ id: leadId }) => leadId).sort((one, other) => one - other);
      for (const leadId of ids) {
        const lead = await tx.lead.lockFirst({ where: { id: leadId, deletedAt: null } });
        // The lead may have got another account or address since it was found.
        if (!lead?.email.toLowerCase().endsWith(suffix) || !(await isFree(tx, lead.accountId))) continue;
        const updated = await writeLead(tx, leadId, { accountId });
        emit(leadUpdated, {
          data: { leadId, changes: { accountId } },
          record: updated,
          changes: { accountId: { from: lead.accountId, to: accountId } },
        });
      }
      return leads.length === batchMax ? new Date() : undefined;
    });
  },
});

/** Whether a lead has no account that it could be seen in. */
async function isFree(tx: Tx, accountId: number | null): Promise<boolean> {
  return accountId === null || !(await tx.account.count({ where: { id: accountId, deletedAt: null } }));
}
