import { actingUserId, type Caller } from '@tandem/caller';
import { type opportunities, opportunityCreated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { type Assignee, defaultTeam, toJsonColumn } from '@tandem/service';
import type { z } from 'zod';
import type { CustomWrite } from '../custom-fields/write-values.ts';
import type { Stage } from '../pipelines/first-stage.ts';
import { amountColumns, type OpportunityRecord } from './opportunity.ts';

/** The body of a new opportunity. */
export type NewOpportunity = z.output<typeof opportunities.createOpportunity.body>;

/** What a new opportunity takes over from its lead. */
export interface OfLead {
  teamId: number | null;
  accountId: number | null;
}

/** The team of a new opportunity, which also decides its pipeline. */
export function teamOfNew(
  { teamId }: NewOpportunity,
  { caller, owner, lead }: { caller: Caller; owner: Assignee | undefined; lead: OfLead },
): number | null {
  return teamId === undefined ? (lead.teamId ?? defaultTeam(caller, owner)) : teamId;
}

/** What a new opportunity gets beside the fields of its body. */
interface Decided {
  caller: Caller;
  currency: string;
  stage: Stage;
  teamId: number | null;
  accountId: number | null;
  custom: CustomWrite;
}

/** The columns of a new opportunity, for the operation and for imports. */
export function newOpportunityColumns(
  { value = 0, stageId, pipelineId, probability = null, customFields = {}, ...fields }: NewOpportunity,
  { caller, currency, stage, teamId, accountId, custom }: Decided,
) {
  const userId = actingUserId(caller) ?? null;
  const given = fields as { [Field in keyof typeof fields]: Exclude<(typeof fields)[Field], undefined> };
  return {
    ...given,
    ...amountColumns(value, currency),
    currency,
    accountId,
    pipelineId: stage.pipelineId,
    stage: stage.code,
    stageId: stage.id,
    probability: probability ?? stage.defaultProbability ?? 0,
    probabilityOverridden: probability !== null,
    customFields: toJsonColumn(customFields),
    ...custom.columns,
    teamId,
    ownerId: fields.ownerId === undefined ? userId : fields.ownerId,
    createdBy: userId,
  };
}

/** Emits the event of a new opportunity. */
export function emitCreated(emit: Emit, opportunity: OpportunityRecord): void {
  const { id: opportunityId, value, currency, stage } = opportunity;
  emit(opportunityCreated, { data: { opportunityId, value, currency, stage }, record: opportunity });
}
