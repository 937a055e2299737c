import { actingUserId, type Caller } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { type opportunities, opportunityCreated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { type Assignee, defaultTeam, failField, toJsonColumn } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { holdAccount } from '../accounts/account.ts';
import { presentAccount } from '../accounts/survivor.ts';
import { type CustomWrite, claimValues, customWrite } from '../custom-fields/write-values.ts';
import type { LeadRecord } from '../leads/lead.ts';
import { checkFirstStage, pipelineOfStage } from '../pipelines/check-stage-move.ts';
import { firstStageOf, type Stage } from '../pipelines/first-stage.ts';
import type { MoverRole } from '../pipelines/mover-role.ts';
import { amountColumns, asOpportunity, type LockedOpportunity, type OpportunityRecord } from './opportunity.ts';
import { startHistory } from './stage-history.ts';

/** The body of a new opportunity. */
export type NewOpportunity = z.output<typeof opportunities.createOpportunity.body>;

/** A new opportunity, with the defaults that depend on its lead and on the caller. */
type Complete = NewOpportunity & Pick<OpportunityRecord, 'currency' | 'teamId' | 'accountId' | 'partnerId'>;

/** The fields of a lead that its new opportunity gets by default. */
export type OfLead = Pick<LeadRecord, 'teamId' | 'accountId' | 'partnerId'>;

export const ofNoLead: OfLead = { teamId: null, accountId: null, partnerId: null };

/** The team of a new opportunity, which also decides its pipeline. */
export function teamOfNew(
  { teamId }: NewOpportunity,
  { caller, owner, lead }: { caller: Caller; owner: Pick<Assignee, 'id' | 'teamIds'> | undefined; lead: OfLead },
): number | null {
  return teamId === undefined ? (lead.teamId ?? defaultTeam(caller, owner)) : teamId;
}

/**
 * Reads the team, account and partner of the lead of an opportunity, while the lead is held: they may have changed since
 * `check`. By SQL, because the caller's access to leads can be narrower than their access to opportunities.
 */
export async function readOfLead(tx: Tx, leadId: number | null | undefined): Promise<OfLead> {
  if (typeof leadId !== 'number') return ofNoLead;
  const [lead] = await tx.sql<OfLead>`
    SELECT team_id AS "teamId", account_id AS "accountId", partner_id AS "partnerId" FROM lead WHERE id = ${leadId}`;
  return lead ?? ofNoLead;
}

/**
 * The account of a new opportunity, held until the end of the transaction: the one that the request names, else that of
 * its lead, which may have been merged into another one or deleted meanwhile.
 * @throws 422 when the request names an account that was deleted meanwhile
 */
async function accountOfNew(tx: Tx, { accountId }: NewOpportunity, lead: OfLead): Promise<number | null> {
  if (accountId === undefined) return presentAccount(tx, lead.accountId);
  if (accountId !== null && (await holdAccount(tx, accountId)) === null)
    throw failField('accountId', unknownId('account'));
  return accountId;
}

/** The columns of a new opportunity, also for imports. The owner is the acting user unless one is given. */
export function newOpportunityColumns(
  { value = 0, stageId, pipelineId, probability = null, customFields = {}, ...fields }: Complete,
  { caller, stage, custom }: { caller: Caller; stage: Stage; custom: CustomWrite },
) {
  const userId = actingUserId(caller) ?? null;
  const given = fields as { [Field in keyof typeof fields]: Exclude<(typeof fields)[Field], undefined> };
  return {
    // All columns, so that many opportunities are inserted by one statement whatever fields each has.
    leadId: null,
    forecastCategory: 'pipeline',
    expectedCloseAt: null,
    notes: null,
    ...given,
    ...amountColumns(value, fields.currency),
    pipelineId: stage.pipelineId,
    stage: stage.code,
    stageId: stage.id,
    probability: probability ?? stage.defaultProbability ?? 0,
    probabilityOverridden: probability !== null,
    customFields: toJsonColumn(customFields),
    ...custom.columns,
    ownerId: fields.ownerId === undefined ? userId : fields.ownerId,
    createdBy: userId,
  };
}

interface Rules {
  /** Whether the deal may lack fields that its stage or their definitions require, because nobody was asked for them. */
  mayLackFields?: boolean;
}

/**
 * Creates an opportunity in its first stage, with its history and event.
 * @param roleId the result of `moverRole`
 * @param lead what the opportunity takes over from its lead as far as the request does not name it
 * @throws 422 naming the stage, the pipeline or the field that does not fit, 409 for a unique value that is taken, and
 * `move_refused`, which the row declares with `moveErrors`
 */
export async function openOpportunity(
  { tx, emit, caller, roleId }: { tx: Tx; emit: Emit; caller: Caller; roleId: MoverRole },
  fields: NewOpportunity & Pick<OpportunityRecord, 'currency' | 'teamId'>,
  lead: OfLead,
  { mayLackFields = false }: Rules = {},
): Promise<LockedOpportunity> {
  const { stageId, pipelineId, teamId, customFields = {} } = fields;
  const stage = await firstStageOf(tx, { stageId, pipelineId, teamId });
  const custom = await customWrite(tx, 'opportunity', { after: customFields, ...(mayLackFields && { before: {} }) });
  const accountId = await accountOfNew(tx, fields, lead);
  const partnerId = fields.partnerId === undefined ? lead.partnerId : fields.partnerId;
  const data = newOpportunityColumns({ ...fields, accountId, partnerId }, { caller, stage, custom });
  if (!mayLackFields) checkFirstStage(await pipelineOfStage(tx, stage), { stage, deal: data, roleId });
  const opportunity = asOpportunity(await tx.opportunity.create({ data }));
  await claimValues(tx, custom, opportunity.id);
  await startHistory(tx, opportunity);
  emitCreated(emit, opportunity);
  return opportunity;
}

/** Emits the event of a new opportunity. */
export function emitCreated(emit: Emit, opportunity: OpportunityRecord): void {
  const { id: opportunityId, value, currency, stage } = opportunity;
  emit(opportunityCreated, { data: { opportunityId, value, currency, stage }, record: opportunity });
}
