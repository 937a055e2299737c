import { actingUserId } from '@tandem/caller';
import { leadCreated, type leads } from '@tandem/crm-contract';
import { type Assignee, checkUser, defaultTeam, toJsonColumn } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import type { Handler, Peers } from '../../handler.ts';
import { checkAccount } from '../accounts/account.ts';
import { accountOfEmail } from '../accounts/account-of-email.ts';
import { claimValues, customWrite } from '../custom-fields/write-values.ts';
import { asLead } from './lead.ts';
import { firstStatus } from './lead-status.ts';

export const createLead = (peers: Peers): Handler<typeof leads.createLead, Assignee | undefined> => ({
  async check({ body, caller, under, tx }) {
    await checkAccount({ under, tx }, body.accountId);
    const assignee = await checkUser(peers, 'assignedTo', body.assignedTo, caller);
    await checkTeam(peers, body.teamId, caller);
    return assignee;
  },
  async run({ body, caller, tx, emit, found: assignee }) {
    const { customFields = {}, teamId = defaultTeam(caller, assignee), status, statusCode, ...fields } = body;
    const custom = await customWrite(tx, 'lead', { after: customFields });
    const data = {
      ...fields,
      ...(await firstStatus(tx, { status, statusCode })),
      ...custom.columns,
      teamId,
      accountId: fields.accountId === undefined ? await accountOfEmail(tx, body.email) : fields.accountId,
      customFields: toJsonColumn(customFields),
      createdBy: actingUserId(caller) ?? null,
    };
    const row = await tx.lead.create({ data });
    await claimValues(tx, custom, row.id);
    const lead = asLead(row);
    emit(leadCreated, { data: { leadId: lead.id, email: lead.email, source: lead.source }, record: lead });
    return lead;
  },
});
