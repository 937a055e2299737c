import { customFieldDeleted, type customFields } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { eventDataOf, lockCustomField } from './custom-field.ts';
import { readExistingRecordsJob } from './read-existing-records.job.ts';

export const deleteCustomField: Handler<typeof customFields.deleteCustomField> = async (context) => {
  const { params, tx, emit, schedule, ifMatch } = context;
  const field = await lockCustomField(tx, params.id);
  ifMatch(field);
  const pass = field.pass + 1;
  await tx.customField.updateMany({ where: { id: field.id }, data: { removedAt: new Date(), pass, readTo: 0 } });
  // Empties the column of the field, deletes its unique values, and then deletes the row.
  await schedule(readExistingRecordsJob, [{ fieldId: field.id, pass, isRecheck: false }]);
  emit(customFieldDeleted, { data: eventDataOf(field), record: field });
  return { id: field.id, deleted: true as const };
};
