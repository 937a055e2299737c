import { actingUserId } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { type opportunities, opportunityCreated } from '@tandem/crm-contract';
import { type Assignee, checkUser, defaultTeam, failField, toJsonColumn } from '@tandem/service';
import { checkPartner } from '../../check-partner.ts';
import { checkTeam } from '../../check-team.ts';
import { defaultCurrency } from '../../default-currency.ts';
import type { Handler, Peers } from '../../handler.ts';
import { holdAccount } from '../accounts/account.ts';
import { checkAccount } from '../accounts/check-account.ts';
import { claimValues, customWrite } from '../custom-fields/write-values.ts';
import { firstStageOf } from '../pipelines/first-stage.ts';
import { amountColumns, asOpportunity } from './opportunity.ts';
import { startHistory } from './stage-history.ts';

interface Found {
  currency: string;
  owner: Assignee | undefined;
  /** The team and the account of the lead, if the request names one. */
  lead: { teamId: number | null; accountId: number | null };
}

export const createOpportunity = (peers: Peers): Handler<typeof opportunities.createOpportunity, Found> => ({
  async check({ body, caller, tx, under }) {
    const { leadId, currency = await defaultCurrency(peers, caller) } = body;
    const where = { id: leadId ?? 0, deletedAt: null };
    const lead =
      leadId &&
      (await under('leads:read', () => tx.lead.findFirst({ where, select: { teamId: true, accountId: true } })));
    if (leadId && !lead) throw failField('leadId', unknownId('lead'));
    await checkAccount({ under, tx }, body.accountId);
    const owner = await checkUser(peers, 'ownerId', body.ownerId, caller);
    await checkTeam(peers, body.teamId, caller);
    await checkPartner(peers, body.partnerId, caller);
    return { currency, owner, lead: lead || { teamId: null, accountId: null } };
  },
  async run({ body, found: { currency, owner, lead }, caller, tx, emit }) {
    const { value = 0, stageId, pipelineId, probability = null, customFields = {}, ...fields } = body;
    const userId = actingUserId(caller) ?? null;
    const teamId = body.teamId === undefined ? (lead.teamId ?? defaultTeam(caller, owner)) : body.teamId;
    const stage = await firstStageOf(tx, { stageId, pipelineId, teamId });
    const custom = await customWrite(tx, 'opportunity', { after: customFields });
    const row = await tx.opportunity.create({
      data: {
        ...fields,
        ...amountColumns(value, currency),
        currency,
        accountId: await holdAccount(tx, body.accountId === undefined ? lead.accountId : body.accountId),
        pipelineId: stage.pipelineId,
        stage: stage.code,
        stageId: stage.id,
        probability: probability ?? stage.defaultProbability ?? 0,
        probabilityOverridden: probability !== null,
        customFields: toJsonColumn(customFields),
        ...custom.columns,
        teamId,
        ownerId: body.ownerId === undefined ? userId : body.ownerId,
        createdBy: userId,
      },
    });
    const opportunity = asOpportunity(row);
    await claimValues(tx, custom, opportunity.id);
    await startHistory(tx, opportunity);
    const { id: opportunityId, stage: code } = opportunity;
    emit(opportunityCreated, {
      data: { opportunityId, value: opportunity.value, currency, stage: code },
      record: opportunity,
    });
    return opportunity;
  },
});
