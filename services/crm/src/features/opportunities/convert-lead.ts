import { actingUserId, type Caller, onlyTeamOf } from '@tandem/caller';
import { idInText, unknownId } from '@tandem/contract';
import { leadConverted, leadUpdated, type opportunities, opportunityCreated } from '@tandem/crm-contract';
import { type Assignee, checkUser, diff, fail, failField, teamOfAssignee } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import { defaultCurrency } from '../../default-currency.ts';
import type { Handler, Peers } from '../../handler.ts';
import { holdAccount } from '../accounts/account.ts';
import { type LeadRecord, lockLeadOf, writeLead } from '../leads/lead.ts';
import { nextStatus } from '../leads/lead-status.ts';
import { firstStageOf } from '../pipelines/first-stage.ts';
import { amountColumns, asOpportunity } from './opportunity.ts';
import { startHistory } from './stage-history.ts';

const nameMax = 200;

type Found = { amount: ReturnType<typeof amountColumns> & { currency: string }; owner: Assignee | undefined };

export const convertLead = (peers: Peers): Handler<typeof opportunities.convertLead, Found> => ({
  async check({ body, caller, tx, under }) {
    const where = { id: body.leadId, deletedAt: null };
    // leads:read is required, because the default name of the opportunity contains the name of the lead.
    if (!(await under('leads:read', () => tx.lead.count({ where })))) throw failField('leadId', unknownId('lead'));
    const owner = await checkUser(peers, 'ownerId', body.ownerId, caller);
    await checkTeam(peers, body.teamId, caller);
    const currency = body.currency ?? (await defaultCurrency(peers, caller));
    return { amount: { ...amountColumns(body.value ?? 0, currency), currency }, owner };
  },
  async run({ body, found: { amount, owner }, caller, tx, emit }) {
    const { leadId, stageId, name, expectedCloseAt = null } = body;
    const lead = await lockLeadOf(tx, 'leadId', leadId);
    if (lead.convertedOpportunityId !== null) {
      const message = `The lead is already converted to the opportunity ${idInText('opportunity', lead.convertedOpportunityId)}`;
      throw fail('lead_converted', [{ field: 'leadId', message }]);
    }
    const stage = await firstStageOf(tx, { stageId });
    const userId = actingUserId(caller) ?? null;
    const row = await tx.opportunity.create({
      data: {
        ...amount,
        leadId,
        accountId: await holdAccount(tx, lead.accountId),
        name: name ?? nameOf(lead),
        expectedCloseAt,
        pipelineId: stage.pipelineId,
        stage: stage.code,
        stageId: stage.id,
        probability: stage.defaultProbability ?? 0,
        teamId: body.teamId === undefined ? teamOfDeal(lead, caller, owner) : body.teamId,
        ownerId: body.ownerId === undefined ? userId : body.ownerId,
        createdBy: userId,
      },
    });
    const opportunity = asOpportunity(row);
    await startHistory(tx, opportunity);
    const { values, audit } = diff(lead, {
      ...(await nextStatus(tx, lead, { status: 'qualified' })),
      convertedAt: opportunity.createdAt,
      convertedOpportunityId: opportunity.id,
    });
    const converted = await writeLead(tx, leadId, values);
    emit(opportunityCreated, {
      data: {
        opportunityId: opportunity.id,
        value: opportunity.value,
        currency: opportunity.currency,
        stage: opportunity.stage,
      },
      record: opportunity,
    });
    emit(leadUpdated, { data: { leadId, changes: values }, record: converted, changes: audit });
    emit(leadConverted, { data: { leadId, opportunityId: opportunity.id }, record: converted });
    return opportunity;
  },
});

/** The team of a deal if the request names none: that of its lead, unless the named owner works in another one. */
function teamOfDeal({ teamId }: LeadRecord, caller: Caller, owner: Assignee | undefined): number | null {
  return owner ? teamOfAssignee(owner.teamIds, teamId) : (teamId ?? onlyTeamOf(caller));
}

/** Truncates the name: two names of maximum length and a space exceed the limit by one character. */
function nameOf({ firstName, lastName }: Pick<LeadRecord, 'firstName' | 'lastName'>): string {
  return `${firstName} ${lastName}`.slice(0, nameMax).toWellFormed();
}
