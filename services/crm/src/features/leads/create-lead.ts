import type { Caller } from '@tandem/caller';
import { leadCreated, type leads } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { type Assignee, checkUser } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { accountOfEmail } from '../accounts/account-of-email.ts';
import { checkAccount } from '../accounts/check-account.ts';
import { customWrite, reserveValues } from '../custom-fields/write-values.ts';
import { checkExternalId } from './external-id.ts';
import { asLead, type LeadRecord } from './lead.ts';
import { firstStatus } from './lead-status.ts';
import { type NewLead, newLeadColumns } from './new-lead.ts';

export const createLead = (peers: Peers): Handler<typeof leads.createLead, Assignee | undefined> => ({
  async check({ body, caller, under, tx }) {
    await checkAccount({ under, tx }, body.accountId);
    const assignee = await checkUser(peers, 'assignedTo', body.assignedTo, caller);
    await checkTeam(peers, body.teamId, caller);
    return assignee;
  },
  run: ({ body, caller, tx, emit, found: assignee }) => insertLead({ tx, emit, caller }, body, assignee),
});

interface Rules {
  /** Whether the lead may lack required custom fields, because the person was not asked for them. */
  mayLackCustomFields?: boolean;
  /** The partner who submits the lead. */
  partnerId?: number | null | undefined;
}

/** Creates a lead with its event. Errors are thrown before the first write. */
export async function insertLead(
  { tx, emit, caller }: { tx: Tx; emit: Emit<typeof leadCreated>; caller: Caller },
  body: NewLead,
  assignee: Assignee | undefined,
  { mayLackCustomFields = false, partnerId }: Rules = {},
): Promise<LeadRecord> {
  const { customFields = {}, externalId, status, statusCode } = body;
  const coded = await firstStatus(tx, { status, statusCode });
  await checkExternalId(tx, externalId);
  const custom = await customWrite(tx, 'lead', { after: customFields, ...(mayLackCustomFields && { before: {} }) });
  const reserved = await reserveValues(tx, 'lead', custom);
  const accountId = body.accountId === undefined ? await accountOfEmail(tx, body.email) : body.accountId;
  const data = { ...newLeadColumns(body, { caller, assignee, status: coded, custom, accountId }), ...reserved };
  const lead = asLead(await tx.lead.create({ data: { ...data, ...(partnerId && { partnerId }) } }));
  emit(leadCreated, { data: { leadId: lead.id, email: lead.email, source: lead.source }, record: lead });
  return lead;
}
