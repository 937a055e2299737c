import { actingUserId, type Caller } from '@tandem/caller';
import { opportunityCreated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { toJsonColumn } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { holdAccount } from '../accounts/account.ts';
import { claimValues, customWrite } from '../custom-fields/write-values.ts';
import { firstStageOf } from '../pipelines/first-stage.ts';
import { amountColumns, asOpportunity, type LockedOpportunity, type OpportunityRecord } from './opportunity.ts';
import { startHistory } from './stage-history.ts';

type Optional = 'leadId' | 'expectedCloseAt' | 'ownerId' | 'partnerId' | 'notes' | 'forecastCategory' | 'customFields';

/** The fields of a new deal. */
type NewDeal = Pick<OpportunityRecord, 'name' | 'currency' | 'teamId' | 'accountId'> & {
  [Field in Optional]?: OpportunityRecord[Field] | undefined;
} & {
  value?: number | undefined;
  stageId?: number | undefined;
  pipelineId?: number | undefined;
  /** Without one, the deal has the probability of its stage. */
  probability?: number | null | undefined;
};

/**
 * Creates a deal in its first stage, with its history and event. The owner is the acting user unless one is given.
 * @throws 422 naming the stage, the pipeline or the custom field that does not fit, 409 for a unique value that is taken
 */
export async function openDeal(
  { tx, emit, caller }: { tx: Tx; emit: Emit; caller: Caller },
  deal: NewDeal,
): Promise<LockedOpportunity> {
  const { name, value = 0, currency, stageId, pipelineId, probability = null, customFields = {}, teamId } = deal;
  const { leadId = null, expectedCloseAt = null, partnerId = null, notes = null, forecastCategory = 'pipeline' } = deal;
  const userId = actingUserId(caller) ?? null;
  const stage = await firstStageOf(tx, { stageId, pipelineId, teamId });
  const custom = await customWrite(tx, 'opportunity', { after: customFields });
  const row = await tx.opportunity.create({
    data: {
      name,
      currency,
      leadId,
      partnerId,
      teamId,
      expectedCloseAt,
      forecastCategory,
      notes,
      ...amountColumns(value, currency),
      accountId: await holdAccount(tx, deal.accountId),
      pipelineId: stage.pipelineId,
      stage: stage.code,
      stageId: stage.id,
      probability: probability ?? stage.defaultProbability ?? 0,
      probabilityOverridden: probability !== null,
      customFields: toJsonColumn(customFields),
      ...custom.columns,
      ownerId: deal.ownerId === undefined ? userId : deal.ownerId,
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
}
