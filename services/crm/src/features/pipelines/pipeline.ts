import { type Pipeline, type PipelineDetail, PipelineRules, pipelineUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { fail, toJsonColumn } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Pipeline as PipelineRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { statusesOf } from '../config/status.ts';

export type PipelineRecord = z.output<typeof Pipeline>;

const storedFields = PipelineRules.shape.requiredFields;

/** Converts a row to the contract's `Pipeline`. */
export function asPipeline(row: PipelineRow): PipelineRecord {
  const { noSkip, noBackward, requiredFields, allowedRoleIds, ...fields } = row;
  return {
    ...fields,
    rules: { noSkip, noBackward, requiredFields: storedFields.parse(requiredFields), allowedRoleIds },
  };
}

/** Adds the stages of a pipeline. */
export async function withStages(tx: Tx, pipeline: PipelineRecord): Promise<z.output<typeof PipelineDetail>> {
  return { ...pipeline, stages: await statusesOf(tx, { entityType: 'opportunity', pipelineId: pipeline.id }) };
}

/** The `data` of the events of a pipeline. */
export function eventDataOf({ id: pipelineId, name }: PipelineRecord) {
  return { pipelineId, name };
}

/** Locks the pipelines: two requests must not both clear the same default or create the last one. */
export async function lockPipelines(tx: Tx): Promise<void> {
  await lockNamed(tx, 'pipeline');
}

/** Locks a pipeline, so that checks on it still hold when it is written. */
export async function lockPipeline(tx: Tx, id: number): Promise<PipelineRecord> {
  const row = await tx.pipeline.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asPipeline(row);
}

/** Writes changes to a locked pipeline as its next version. */
export async function writePipeline(
  tx: Tx,
  id: number,
  data: Parameters<Tx['pipeline']['updateManyAndReturn']>[0]['data'],
): Promise<PipelineRecord> {
  const [row] = await tx.pipeline.updateManyAndReturn({ where: { id }, data: { ...data, version: { increment: 1 } } });
  if (!row) throw fail('not_found');
  return asPipeline(row);
}

/** Removes the fields that a pipeline requires in a stage that is deleted, with its event. */
export async function dropRequiredFields(
  { tx, emit }: { tx: Tx; emit: Emit<typeof pipelineUpdated> },
  id: number,
  code: string,
): Promise<void> {
  // Rules for the stage are written before this lock, or find no stage after it. The lock permits new deals, which hold
  // their pipeline while they wait for the stage.
  await tx.sql`SELECT id FROM pipeline WHERE id = ${id} FOR NO KEY UPDATE`;
  const row = await tx.pipeline.findFirst({ where: { id } });
  if (!row) return;
  const { rules } = asPipeline(row);
  const { [code]: removed, ...requiredFields } = rules.requiredFields;
  if (!removed) return;
  const record = await writePipeline(tx, id, { requiredFields: toJsonColumn(requiredFields) });
  emit(pipelineUpdated, {
    data: eventDataOf(record),
    record,
    changes: { rules: { from: rules, to: record.rules } },
  });
}

/** Removes the default, with its event. */
export async function clearDefault({ tx, emit }: { tx: Tx; emit: Emit<typeof pipelineUpdated> }): Promise<void> {
  const previous = await tx.pipeline.findFirst({ where: { isDefault: true } });
  if (!previous) return;
  const record = await writePipeline(tx, previous.id, { isDefault: false });
  emit(pipelineUpdated, { data: eventDataOf(record), record, changes: { isDefault: { from: true, to: false } } });
}
