import { unknownId } from '@tandem/contract';
import { failField } from '@tandem/service';
import type { StatusDefinition } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { holdStage } from './hold-stage.ts';

/** The stage and pipeline that the request for a new deal names. */
interface Wanted {
  pipelineId?: number | undefined;
  stageId?: number | undefined;
  /** The team of the deal, whose pipeline is used without the other two. */
  teamId?: number | null | undefined;
}

/** A stage with its pipeline, which every stage has once the backfill of this release is done. */
export type Stage = StatusDefinition & { pipelineId: number };

/**
 * The first stage of a new deal: the requested one, else the default stage of the requested pipeline, else that of the
 * pipeline of the team, else that of the default pipeline. It cannot be deleted until the end of the transaction.
 * @throws 422 naming `stageId` when the stage is unknown, closed or of another pipeline, or `pipelineId` when it is unknown
 */
export async function firstStageOf(tx: Tx, wanted: Wanted): Promise<Stage> {
  const stage = await findStage(tx, wanted);
  await holdStage(tx, stage);
  return stage;
}

async function findStage(tx: Tx, { pipelineId, stageId, teamId }: Wanted): Promise<Stage> {
  if (pipelineId !== undefined && !(await tx.pipeline.count({ where: { id: pipelineId } })))
    throw failField('pipelineId', unknownId('pipeline'));
  if (stageId === undefined) return defaultStage(tx, pipelineId ?? (await pipelineOfTeam(tx, teamId)));
  const stage = await tx.statusDefinition.findFirst({ where: { entityType: 'opportunity', id: stageId } });
  if (!stage) throw failField('stageId', unknownId('status_definition'));
  if (pipelineId !== undefined && stage.pipelineId !== pipelineId)
    throw failField('stageId', 'Belongs to another pipeline; send a stage of pipelineId, or omit pipelineId');
  if (stage.isClosed) throw failField('stageId', 'The stage is closed; send the id of an open stage');
  return stage as Stage;
}

/** The oldest pipeline of the team, else the default pipeline. */
async function pipelineOfTeam(tx: Tx, teamId: number | null | undefined): Promise<number> {
  const pipelines = await tx.pipeline.findMany({
    where: { OR: [{ isDefault: true }, ...(typeof teamId === 'number' ? [{ teamIds: { has: teamId } }] : [])] },
    orderBy: { id: 'asc' },
    select: { id: true, isDefault: true, teamIds: true },
  });
  const found = pipelines.find(({ teamIds }) => teamIds.some((id) => id === teamId)) ?? pipelines[0];
  if (!found) throw failField('pipelineId', 'Is required, because there is no default pipeline');
  return found.id;
}

/** The default stage of a pipeline, or its first open stage while none is the default. */
async function defaultStage(tx: Tx, pipelineId: number): Promise<Stage> {
  const stage = await tx.statusDefinition.findFirst({
    where: { pipelineId, isClosed: false },
    orderBy: [{ isDefault: 'desc' }, { sortOrder: 'asc' }, { id: 'asc' }],
  });
  if (!stage) throw failField('stageId', 'Is required, because the pipeline has no open stage');
  return stage as Stage;
}
