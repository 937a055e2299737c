import type { FieldError } from '@tandem/contract';
import { ownValue } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { StatusDefinition } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { statusesOf } from '../config/status.ts';
import type { MoverRole } from './mover-role.ts';
import { asPipeline, type PipelineRecord } from './pipeline.ts';

type Stage = Pick<StatusDefinition, 'id' | 'code' | 'name' | 'isClosed' | 'isDefault'> & { pipelineId: number | null };

/** A move of a deal to another stage. */
interface StageMove {
  from: Stage;
  to: Stage;
  /** The deal with the values that the same request gives to its fields. */
  deal: object;
  /** The result of `moverRole`. */
  roleId: MoverRole;
}

/** The pipeline of a stage, whose rules hold for deals that enter it. */
export async function pipelineOfStage(
  tx: Tx,
  { pipelineId }: Pick<Stage, 'pipelineId'>,
): Promise<PipelineRecord | undefined> {
  const row = pipelineId === null ? null : await tx.pipeline.findFirst({ where: { id: pipelineId } });
  return row ? asPipeline(row) : undefined;
}

/**
 * Checks a move against the rules of the pipeline; a move to another pipeline against those of both.
 * @throws 409 `move_refused`, which the row declares with `moveErrors`, or 422 naming the required fields that are missing
 */
export async function checkStageMove(tx: Tx, { from, to, deal, roleId }: StageMove): Promise<void> {
  const pipeline = await pipelineOfStage(tx, to);
  const isTransfer = from.pipelineId !== to.pipelineId;
  checkRole(pipeline, roleId);
  if (isTransfer) checkRole(await pipelineOfStage(tx, from), roleId);
  if (pipeline) await (isTransfer ? checkEntry(pipeline, to) : checkOrder(tx, pipeline, { from, to }));
  checkFields(pipeline, to, deal);
}

/**
 * Checks the stage of a new deal. Every user can create deals in the default stage. The order of the stages does not
 * matter, because the deal may have passed the earlier ones before it was recorded.
 * @throws as `checkStageMove`
 */
export function checkFirstStage(
  pipeline: PipelineRecord | undefined,
  { stage, deal, roleId }: { stage: Stage; deal: object; roleId: MoverRole },
): void {
  if (!stage.isDefault) checkRole(pipeline, roleId);
  checkFields(pipeline, stage, deal);
}

function checkRole(pipeline: PipelineRecord | undefined, roleId: MoverRole): void {
  const allowed = pipeline?.rules.allowedRoleIds ?? [];
  if (!allowed.length || roleId === undefined || allowed.some((id) => id === roleId)) return;
  throw refused('Only users with an allowed role may move deals of this pipeline');
}

/** Closing is always possible, and a deal that is reopened may return to any open stage. */
async function checkOrder(
  tx: Tx,
  { id, rules }: PipelineRecord,
  { from, to }: Pick<StageMove, 'from' | 'to'>,
): Promise<void> {
  if (from.isClosed || to.isClosed || !(rules.noSkip || rules.noBackward)) return;
  const stages = await statusesOf(tx, { entityType: 'opportunity', pipelineId: id });
  const open = stages.filter(({ isClosed }) => !isClosed);
  const [start, end] = [from, to].map((stage) => open.findIndex((one) => one.id === stage.id)) as [number, number];
  if (rules.noBackward && end < start) throw refused(`Deals do not move back from ${from.name} to ${to.name}`);
  const next = open[start + 1];
  if (rules.noSkip && next && end > start + 1) throw refused(`The next stage after ${from.name} is ${next.name}`);
}

/** A deal from another pipeline does not skip stages of this one. */
function checkEntry({ rules }: PipelineRecord, to: Stage): void {
  if (rules.noSkip && !to.isDefault && !to.isClosed) throw refused('Deals enter this pipeline in its default stage');
}

function checkFields(pipeline: PipelineRecord | undefined, { code, name }: Stage, deal: object): void {
  const required = pipeline?.rules.requiredFields[code] ?? [];
  const missing: FieldError[] = required
    .filter((field) => isMissing(field, valueIn(deal, field)))
    .map((field) => ({ field, message: `Is required in the stage ${name}` }));
  if (missing.length) throw fail('validation_failed', missing);
}

function valueIn(deal: object, field: string): unknown {
  const key = field.startsWith('customFields.') ? field.slice('customFields.'.length) : undefined;
  const values = deal as Record<string, unknown>;
  return key === undefined ? values[field] : ownValue(values['customFields'] as object | undefined, key);
}

/** A deal without an amount has the value 0; in a custom field 0 is a value. */
function isMissing(field: string, value: unknown): boolean {
  if (field === 'value') return !value;
  return value === undefined || value === null || value === '' || (Array.isArray(value) && !value.length);
}

function refused(message: string) {
  return fail('move_refused', [{ field: 'stageId', message }]);
}
