import { unknownId } from '@tandem/contract';
import { leadStates, statusDefinitionDeleted } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { fail, failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import type { LeadStatus } from '../leads/lead.ts';
import { dropRequiredFields } from '../pipelines/pipeline.ts';
import { kindOf } from './last-of-kind.ts';
import { asStatus, eventDataOf, type StatusRecord } from './status.ts';

/**
 * The status for the records of a status that is deleted.
 * @throws 422 when its records cannot change to it
 */
export async function findReplacement(tx: Tx, status: StatusRecord, id: number): Promise<StatusRecord> {
  const field = 'replaceWithId';
  const row = await tx.statusDefinition.findFirst({ where: { id } });
  if (!row) throw failField(field, unknownId('status_definition'));
  const replacement = asStatus(row);
  const { entityType, pipelineId } = status;
  if (replacement.id === status.id) throw failField(field, 'Must be another status');
  if (replacement.entityType !== entityType || replacement.pipelineId !== pipelineId)
    throw failField(field, entityType === 'lead' ? 'Must be a lead status' : 'Must be a stage of the same pipeline');
  const [from, to] = [kindOf(status), kindOf(replacement)];
  if (from === to) return replacement;
  if (entityType === 'opportunity')
    throw failField(field, `Must be ${from === 'open' ? 'an open' : `a ${from}`} stage`);
  if (!leadStates.has(from as LeadStatus, to as LeadStatus))
    throw failField(field, `Leads cannot change from ${from} to ${to}; choose a status of the category ${from}`);
  const converted = await tx.lead.count({ where: { statusCode: status.code, convertedAt: { not: null } } });
  if (converted)
    throw failField(field, `${converted} leads are converted and stay ${from}; choose a status of this category`);
  return replacement;
}

/**
 * Fails while a background job replaces the status, or moves records to it or away from its replacement: two jobs would
 * move the same records back and forth, or the target of one would be deleted by the other. The caller has locked the
 * status, and with it all definitions of its kind.
 * @throws 409 `being_replaced`
 */
export async function checkNotReplaced(tx: Tx, status: StatusRecord, replacement: StatusRecord | undefined) {
  const [running] = await tx.sql`SELECT 1 FROM platform.background_job
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
      AND kind = 'replace_status' AND completed_at IS NULL
      AND ((input->>'statusId')::bigint = ANY(${[status.id, replacement?.id ?? status.id]}::bigint[])
        OR (input->>'replacementId')::bigint = ${status.id}::bigint)
    LIMIT 1`;
  if (running) throw fail('being_replaced');
}

/** Deletes a status that no record has, with its event, and with the fields that its pipeline requires in it. */
export async function removeStatus({ tx, emit }: { tx: Tx; emit: Emit }, status: StatusRecord): Promise<void> {
  if (status.pipelineId !== null) await dropRequiredFields({ tx, emit }, status.pipelineId, status.code);
  await tx.statusDefinition.deleteMany({ where: { id: status.id } });
  emit(statusDefinitionDeleted, { data: eventDataOf(status), record: status });
}
