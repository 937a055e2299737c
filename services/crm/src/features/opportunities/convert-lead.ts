import { type Caller, onlyTeamOf } from '@tandem/caller';
import { idInText, unknownId } from '@tandem/contract';
import { leadConverted, leadUpdated, type opportunities } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { type Assignee, checkUser, diff, fail, failField, teamOfAssignee } from '@tandem/service';
import type { z } from 'zod';
import { checkPartner } from '../../check-partner.ts';
import { checkTeam } from '../../check-team.ts';
import { defaultCurrency } from '../../default-currency.ts';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { checkAccount } from '../accounts/check-account.ts';
import { type LeadRecord, lockLeadOf, writeLead } from '../leads/lead.ts';
import { nextStatus } from '../leads/lead-status.ts';
import { type MoverRole, moverRole } from '../pipelines/mover-role.ts';
import { linkDeal } from './link-deal.ts';
import { openOpportunity } from './new-opportunity.ts';
import { amountColumns, type OpportunityRecord } from './opportunity.ts';

const nameMax = 200;

type Body = z.output<typeof opportunities.convertLead.body>;
/** Undefined when the request links an opportunity. */
type Found = { currency: string; owner: Assignee | undefined; roleId: MoverRole };

/** The fields of a new deal, which an opportunity that is linked has already. */
const fieldsOfDeal = [
  'value',
  'currency',
  'stageId',
  'pipelineId',
  'name',
  'expectedCloseAt',
  'ownerId',
  'teamId',
  'accountId',
  'partnerId',
  'customFields',
] as const;

export const convertLead = (peers: Peers): Handler<typeof opportunities.convertLead, Found | undefined> => ({
  async check({ body, caller, tx, under }) {
    const where = { id: body.leadId, deletedAt: null };
    // leads:read is required, because the default name of the opportunity contains the name of the lead.
    if (!(await under('leads:read', () => tx.lead.count({ where })))) throw failField('leadId', unknownId('lead'));
    if (body.linkOpportunityId !== undefined) {
      const id = body.linkOpportunityId;
      const isFound = await under('opportunities:write', () =>
        tx.opportunity.count({ where: { id, deletedAt: null } }),
      );
      if (!isFound) throw failField('linkOpportunityId', unknownId('opportunity'));
      const field = fieldsOfDeal.find((name) => body[name] !== undefined);
      if (field) throw failField(field, 'Cannot be sent with linkOpportunityId; update the opportunity instead');
      return undefined;
    }
    const owner = await checkUser(peers, 'ownerId', body.ownerId, caller);
    await checkTeam(peers, body.teamId, caller);
    await checkAccount({ under, tx }, body.accountId);
    await checkPartner(peers, body.partnerId, caller);
    const currency = body.currency ?? (await defaultCurrency(peers, caller));
    amountColumns(body.value ?? 0, currency);
    return { currency, owner, roleId: await moverRole(peers, tx, caller) };
  },
  async run({ body, found, caller, tx, under, emit }) {
    const lead = await lockLeadOf(tx, 'leadId', body.leadId);
    await checkConvertible(tx, lead);
    const opportunity = found
      ? await openOpportunity({ tx, emit, caller, roleId: found.roleId }, newDeal(body, { lead, caller, found }), lead)
      : await under('opportunities:write', () => linkDeal({ tx, emit }, body.linkOpportunityId as number, lead));
    // A conversion after the creation tells unconvertOpportunity that it did not create the opportunity.
    const linkedAt = new Date(Math.max(Date.now(), opportunity.createdAt.getTime() + 1));
    await markConverted({ tx, emit }, lead, { opportunity, at: found ? opportunity.createdAt : linkedAt });
    return opportunity;
  },
});

/** Stores in a locked lead that it was converted to an opportunity. */
export async function markConverted(
  { tx, emit }: { tx: Tx; emit: Emit<typeof leadUpdated | typeof leadConverted> },
  lead: LeadRecord,
  { opportunity, at }: { opportunity: OpportunityRecord; at: Date },
): Promise<void> {
  const { values, audit } = diff(lead, {
    ...(await nextStatus(tx, lead, { status: 'qualified' })),
    convertedAt: at,
    convertedOpportunityId: opportunity.id,
    // A person without a company belongs to that of the deal.
    ...(lead.accountId === null && { accountId: opportunity.accountId }),
  });
  const converted = await writeLead(tx, lead.id, values);
  emit(leadUpdated, { data: { leadId: lead.id, changes: values }, record: converted, changes: audit });
  emit(leadConverted, { data: { leadId: lead.id, opportunityId: opportunity.id }, record: converted });
}

/**
 * Fails if the lead is converted. A conversion ends when housekeeping removes its deleted opportunity, which cannot be
 * restored any more. Read by SQL, because the caller may not be able to access the opportunity.
 */
async function checkConvertible(tx: Tx, { convertedOpportunityId: id }: LeadRecord): Promise<void> {
  const [opportunity] =
    id === null
      ? []
      : await tx.sql<{ isDeleted: boolean }>`
          SELECT deleted_at IS NOT NULL AS "isDeleted" FROM opportunity WHERE id = ${id}`;
  if (id === null || !opportunity) return;
  const remedy = opportunity.isDeleted ? ', which is deleted; restore it, then undo the conversion' : '';
  const message = `The lead is already converted to the opportunity ${idInText('opportunity', id)}${remedy}`;
  throw fail('lead_converted', [{ field: 'leadId', message }]);
}

/** The deal of a lead, with what the request says about it. */
function newDeal(body: Body, { lead, caller, found }: { lead: LeadRecord; caller: Caller; found: Found }) {
  const { linkOpportunityId: _, name = nameOf(lead), ...fields } = body;
  return {
    ...fields,
    name,
    currency: found.currency,
    teamId: body.teamId === undefined ? teamOfDeal(lead, caller, found.owner) : body.teamId,
  };
}

/** The team of a deal if the request names none: that of its lead, unless the named owner works in another one. */
function teamOfDeal({ teamId }: LeadRecord, caller: Caller, owner: Assignee | undefined): number | null {
  return owner ? teamOfAssignee(owner.teamIds, teamId) : (teamId ?? onlyTeamOf(caller));
}

/** Truncates the name: two names of maximum length and a space exceed the limit by one character. */
function nameOf({ firstName, lastName }: Pick<LeadRecord, 'firstName' | 'lastName'>): string {
  return `${firstName} ${lastName}`.slice(0, nameMax).toWellFormed();
}
