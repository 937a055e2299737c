import { type customFields, customFieldUpdated } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Handler, Tx } from '../../handler.ts';
import { contradictions } from './create-custom-field.ts';
import {
  asCustomField,
  type Definition,
  type Entity,
  eventDataOf,
  freeSlot,
  lockCustomField,
  lockDefinitions,
} from './custom-field.ts';
import { readExistingRecordsJob } from './read-existing-records.job.ts';

export const updateCustomField: Handler<typeof customFields.updateCustomField> = async (context) => {
  const { params, body, tx, emit, schedule, ifMatch } = context;
  const field = await lockCustomField(tx, params.id);
  ifMatch(field);
  const { isEmpty, values, audit } = diff(field, body);
  if (isEmpty) return field;
  const errors = contradictions({ ...field, ...values });
  if (errors.length) throw fail('validation_failed', errors);
  // These concern existing records too.
  const isReadAgain = ['unique', 'sortable', 'options'].some((name) => name in values);
  if (isReadAgain && field.status !== 'ready') throw fail('field_not_ready');
  if (values.options) await checkOptions(tx, field, values.options);
  const [row] = await tx.customField.updateManyAndReturn({
    where: { id: field.id },
    data: {
      ...values,
      ...(values.sortable !== undefined && { slot: await slotFor(tx, field, values.sortable) }),
      ...(isReadAgain && { status: 'indexing', misfits: 0, pass: field.pass + 1, readTo: 0 }),
      version: { increment: 1 },
    },
  });
  if (!row) throw fail('not_found');
  const updated = asCustomField(row);
  if (isReadAgain)
    await schedule(readExistingRecordsJob, [{ fieldId: field.id, pass: updated.pass, isRecheck: false }]);
  emit(customFieldUpdated, { data: eventDataOf(updated), record: updated, changes: audit });
  return updated;
};

/** A field that is no longer sortable keeps its column until the job has emptied it. */
async function slotFor(tx: Tx, field: Definition, isSortable: boolean): Promise<string | null> {
  if (field.slot || !isSortable) return field.slot;
  await lockDefinitions(tx, field.entityType);
  return freeSlot(tx, field);
}

/** Fails if records have an option that the new list lacks. */
async function checkOptions(tx: Tx, field: Definition, options: Definition['options']): Promise<void> {
  const removed = field.options.filter((old) => !options.some(({ value }) => value === old.value));
  for (const { value } of removed) {
    if (!(await isInUse(tx, field, value))) continue;
    throw fail('option_in_use', [{ field: 'options', message: `Records have the option ${value}` }]);
  }
}

/** Functions that find records by a member of their custom fields (packages/tenant-db/src/lookups.ts). */
const lookups: Record<Entity, ReturnType<typeof fragment>> = {
  lead: fragment`lead_with_custom_fields`,
  opportunity: fragment`opportunity_with_custom_fields`,
  account: fragment`account_with_custom_fields`,
};

async function isInUse(tx: Tx, { entityType, key, type }: Definition, value: string): Promise<boolean> {
  const member = JSON.stringify({ [key]: type === 'multi_select' ? [value] : value });
  return (await tx.sql`SELECT ${lookups[entityType]}(${member}, 1) AS id`).length > 0;
}
