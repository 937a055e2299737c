import type { FieldError } from '@tandem/contract';
import { fail, failField } from '@tandem/service';
import type { StatusDefinition } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { statusesOf } from '../config/status.ts';
import { asPipeline, type PipelineRecord } from './pipeline.ts';

type Stage = Pick<StatusDefinition, 'id' | 'code' | 'name' | 'isClosed'> & { pipelineId: number | null };

/** A move of a locked opportunity. */
interface StageMove {
  opportunity: { pipelineId: number | null };
  from: Stage;
  to: Stage;
  /** The result of `moverRole`; undefined for callers whom the rule about roles does not concern. */
  roleId: number | null | undefined;
  /** Values that the same request gives to fields of the opportunity. */
  overrides?: Record<string, unknown>;
}

/**
 * Checks a move against the rules of the pipeline.
 * @throws 409 `move_refused`, which the row declares with `moveErrors`, 422 naming `stageId` for a stage of another
 * pipeline, or the required fields that are missing
 */
export async function checkStageMove(tx: Tx, move: StageMove): Promise<void> {
  const { opportunity, to, roleId } = move;
  if (to.pipelineId !== opportunity.pipelineId)
    throw failField('stageId', 'Belongs to another pipeline; send a stage of the pipeline of the opportunity');
  const row = await tx.pipeline.findFirst({ where: { id: to.pipelineId ?? 0 } });
  if (!row) return;
  const pipeline = asPipeline(row);
  const { allowedRoleIds } = pipeline.rules;
  const isAllowed = !allowedRoleIds.length || roleId === undefined || allowedRoleIds.some((id) => id === roleId);
  if (!isAllowed) throw refused('Only users with an allowed role may move deals of this pipeline');
  await checkOrder(tx, pipeline, move);
  const missing = missingFields(pipeline, move);
  if (missing.length) throw fail('validation_failed', missing);
}

/** Closing is always possible, and a deal that is reopened may return to any open stage. */
async function checkOrder(tx: Tx, { id, rules }: PipelineRecord, { from, to }: StageMove): Promise<void> {
  if (from.isClosed || to.isClosed || !(rules.noSkip || rules.noBackward)) return;
  const stages = await statusesOf(tx, { entityType: 'opportunity', pipelineId: id });
  const open = stages.filter(({ isClosed }) => !isClosed);
  const [start, end] = [from, to].map((stage) => open.findIndex((one) => one.id === stage.id)) as [number, number];
  if (rules.noBackward && end < start) throw refused(`Deals do not move back from ${from.name} to ${to.name}`);
  const next = open[start + 1];
  if (rules.noSkip && next && end > start + 1) throw refused(`The next stage after ${from.name} is ${next.name}`);
}

function missingFields({ rules }: PipelineRecord, { opportunity, to, overrides }: StageMove): FieldError[] {
  const deal = { ...opportunity, ...overrides };
  return (rules.requiredFields[to.code] ?? [])
    .filter((field) => isMissing(valueIn(deal, field)))
    .map((field) => ({ field, message: `Is required in the stage ${to.name}; set it first` }));
}

function valueIn(deal: object, field: string): unknown {
  const key = field.startsWith('customFields.') ? field.slice('customFields.'.length) : undefined;
  const values = deal as Record<string, unknown>;
  return key === undefined ? values[field] : (values['customFields'] as Record<string, unknown> | undefined)?.[key];
}

/** A deal without an amount has the value 0. */
function isMissing(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || value === 0 || (Array.isArray(value) && !value.length)
  );
}

function refused(message: string) {
  return fail('move_refused', [{ field: 'stageId', message }]);
}
