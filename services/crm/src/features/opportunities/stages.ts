import { unknownId } from '@tandem/contract';
import type { opportunityStatuses } from '@tandem/crm-contract';
import { fail, failField } from '@tandem/service';
import type { StatusDefinition } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { firstStageOf } from '../pipelines/first-stage.ts';
import type { OpportunityRecord } from './opportunity.ts';

export type DealStatus = (typeof opportunityStatuses)[number];

const ofOpportunities = { entityType: 'opportunity' } as const;
const inOrder = [{ sortOrder: 'asc' as const }, { id: 'asc' as const }];

/** The status of a deal in a stage. */
export function statusIn({ isClosed, isWon }: Pick<StatusDefinition, 'isClosed' | 'isWon'>): DealStatus {
  if (!isClosed) return 'open';
  return isWon ? 'won' : 'lost';
}

/** The pipeline of an opportunity. Those of the previous release have none, and belong to that of their stage. */
async function pipelineOf(tx: Tx, opportunity: OpportunityRecord): Promise<number> {
  const pipelineId = opportunity.pipelineId ?? (await currentStage(tx, opportunity)).pipelineId;
  if (pipelineId !== null) return pipelineId;
  const pipeline = await tx.pipeline.findFirst({ where: { isDefault: true }, select: { id: true } });
  if (!pipeline) throw fail('not_found');
  return pipeline.id;
}

/** The stage and pipeline that a request names. */
interface Named {
  pipelineId?: number | undefined;
  stageId?: number | undefined;
  stage?: string | undefined;
}

/**
 * The stage that a request names by its id, its code or both, in the pipeline that it names or else that of the deal. For
 * another pipeline without a stage it is the first stage of that pipeline; undefined if the request names none.
 */
export async function namedStage(
  tx: Tx,
  opportunity: OpportunityRecord,
  { stageId, stage: code, pipelineId: wanted }: Named,
): Promise<StatusDefinition | undefined> {
  if (stageId === undefined && code === undefined && wanted === undefined) return undefined;
  const current = await pipelineOf(tx, opportunity);
  const pipelineId = wanted ?? current;
  if (pipelineId !== current && !(await tx.pipeline.count({ where: { id: pipelineId } })))
    throw failField('pipelineId', unknownId('pipeline'));
  if (stageId === undefined && code === undefined)
    return pipelineId === current ? undefined : firstStageOf(tx, { pipelineId });
  const stage = await tx.statusDefinition.findFirst({
    where: { ...ofOpportunities, ...(stageId === undefined ? { pipelineId, code: code as string } : { id: stageId }) },
  });
  if (!stage) {
    if (stageId !== undefined) throw failField('stageId', unknownId('status_definition'));
    throw failField('stage', 'No stage of the pipeline has this code; GET /v1/config/statuses lists the stages');
  }
  if (stage.pipelineId !== pipelineId)
    throw failField(
      'stageId',
      'Belongs to another pipeline; send its pipelineId to POST /v1/opportunities/:id/stage as well',
    );
  if (code !== undefined && stage.code !== code)
    throw failField('stage', `Contradicts stageId, whose code is ${stage.code}; send only one of them`);
  return stage;
}

/** Fails with a field error unless the stage exists, in whatever pipeline. */
export async function checkStage(tx: Tx, id: number | undefined, field: string): Promise<void> {
  if (id !== undefined && !(await tx.statusDefinition.count({ where: { ...ofOpportunities, id } })))
    throw failField(field, unknownId('status_definition'));
}

/** The stage that an opportunity is in. */
export async function currentStage(tx: Tx, { stageId }: OpportunityRecord): Promise<StatusDefinition> {
  const stage = await tx.statusDefinition.findFirst({ where: { id: stageId } });
  if (!stage) throw fail('not_found');
  return stage;
}

/** The first stage of the pipeline in which a deal has a result. */
export async function firstClosedStage(
  tx: Tx,
  opportunity: OpportunityRecord,
  result: 'won' | 'lost',
): Promise<StatusDefinition> {
  const stage = await tx.statusDefinition.findFirst({
    where: { pipelineId: await pipelineOf(tx, opportunity), isClosed: true, isWon: result === 'won' },
    orderBy: inOrder,
  });
  if (stage) return stage;
  const message = `No ${result} stage is defined; create one with POST /v1/config/statuses`;
  throw fail('conflict', [{ field: 'stage', message }]);
}

/** The open stage that a closed deal was in last; the default stage of its pipeline if that was removed or is closed now. */
export async function lastOpenStage(tx: Tx, opportunity: OpportunityRecord): Promise<StatusDefinition> {
  const entry = await tx.stageEntry.findFirst({
    where: { opportunityId: opportunity.id, status: 'open' },
    orderBy: [{ enteredAt: 'desc' }, { id: 'desc' }],
  });
  const pipelineId = await pipelineOf(tx, opportunity);
  const where = { ...ofOpportunities, id: entry?.stageId ?? 0, pipelineId, isClosed: false };
  return (await tx.statusDefinition.findFirst({ where })) ?? firstStageOf(tx, { pipelineId });
}
