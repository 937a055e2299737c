import { ServiceCallError } from '@tandem/client/internal';
import type { FieldError } from '@tandem/contract';
import type { Opportunity } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { TargetContext } from '../target.ts';

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
  const stages = await crm.listStatuses({ query, as });
  return stages.find(({ code }) => code === stage)?.id;
}

function pipelineOf({ idOf }: TargetContext, { pipeline }: Fields): number | undefined {
  return typeof pipeline === 'string' ? idOf('pipeline', pipeline) : undefined;
}

/** Where a new deal starts, as settings map its stage and its pipeline. */
export async function placeOf(
  context: TargetContext,
  fields: Fields,
): Promise<{ stageId?: number; pipelineId?: number }> {
  const stageId = await stageOf(context, fields);
  if (stageId !== undefined) return { stageId };
  const pipelineId = pipelineOf(context, fields);
  return pipelineId === undefined ? {} : { pipelineId };
}

/** Moves an open deal to the stage that settings map. Rules of the pipeline may refuse the move. */
export async function moveDeal(
  context: TargetContext,
  current: Found,
  fields: Fields,
): Promise<{ done: boolean; notes: FieldError[] }> {
  const stageId = await stageOf(context, fields, current);
  if (stageId === undefined || stageId === current.stageId) return { done: false, notes: [] };
  const pipelineId = pipelineOf(context, fields);
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
  const isRefusal = error instanceof ServiceCallError && error.status < 500 && error.code !== 'idempotency_running';
  if (!isRefusal) throw error;
  return { field, message: error.code ?? String(error.status) };
}
