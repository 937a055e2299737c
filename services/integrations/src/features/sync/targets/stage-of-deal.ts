import { ServiceCallError } from '@tandem/client/internal';
import type { FieldError } from '@tandem/contract';
import type { Opportunity } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { TargetContext } from '../target.ts';
import { asReader, isTemporary } from '../writing.ts';

type Found = z.output<typeof Opportunity>;
type Fields = Record<string, unknown>;

const stagesMax = 100;

/** The stage that settings name for a deal by its id or its code; undefined if they name none that exists. */
export async function stageOf(
  context: TargetContext,
  fields: Fields,
  current?: Pick<Found, 'pipelineId'>,
): Promise<number | undefined> {
  const { crm, as, idOf } = context;
  const { stage } = fields;
  if (typeof stage !== 'string') return undefined;
  const id = idOf('status_definition', stage);
  if (id !== undefined) return id;
  const pipelineId =
    pipelineOf(context, fields) ?? current?.pipelineId ?? (await crm.readPipeline({ body: { id: null }, as })).id;
  const query = { entityType: 'opportunity' as const, pipelineId, page: 1, limit: stagesMax, sort: 'sortOrder' };
  const stages = await crm.listStatuses({ query, as: asReader(as) });
  return stages.find(({ code }) => code === stage)?.id;
}

function pipelineOf({ idOf }: TargetContext, { pipeline }: Fields): number | undefined {
  return typeof pipeline === 'string' ? idOf('pipeline', pipeline) : undefined;
}

/** Where a new deal starts, as settings map its stage and its pipeline. */
export async function placeOf(
  context: TargetContext,
  fields: Fields,
): Promise<{ place: { stageId?: number; pipelineId?: number }; notes: FieldError[] }> {
  const stageId = await stageOf(context, fields);
  if (stageId !== undefined) return { place: { stageId }, notes: [] };
  const pipelineId = pipelineOf(context, fields);
  return { place: pipelineId === undefined ? {} : { pipelineId }, notes: unknownPlaces(fields, pipelineId) };
}

/** The notes for a stage and a pipeline of the settings that do not exist. */
function unknownPlaces({ stage, pipeline }: Fields, pipelineId: number | undefined): FieldError[] {
  const isUnknown = pipeline !== undefined && pipelineId === undefined;
  return [
    ...(stage === undefined ? [] : [{ field: 'stage', message: 'No stage of the pipeline has this id or code' }]),
    ...(isUnknown ? [{ field: 'pipeline', message: 'No pipeline has this id' }] : []),
  ];
}

/** Moves an open deal to the stage that settings map. Rules of the pipeline may refuse the move. */
export async function moveDeal(
  context: TargetContext,
  current: Found,
  fields: Fields,
): Promise<{ done: boolean; notes: FieldError[] }> {
  const stageId = await stageOf(context, fields, current);
  if (stageId === current.stageId) return { done: false, notes: [] };
  const pipelineId = pipelineOf(context, fields);
  if (stageId === undefined) return { done: false, notes: unknownPlaces(fields, pipelineId) };
  const body = { stageId, ...(pipelineId !== undefined && { pipelineId }) };
  try {
    await context.crm.moveOpportunity({ params: { id: current.id }, body, as: context.as });
    return { done: true, notes: [] };
  } catch (error) {
    return { done: false, notes: [noteOf('stage', error)] };
  }
}

/**
 * The note for a request that crm refused.
 * @throws the error if crm may accept the request later
 */
export function noteOf(field: string, error: unknown): FieldError {
  if (!(error instanceof ServiceCallError) || isTemporary(error)) throw error;
  return { field, message: error.code ?? String(error.status) };
}
