import type { FieldError } from '@tandem/contract';
import { customFieldCreated, type customFields } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import {
  asCustomField,
  type CustomFieldRecord,
  type Entity,
  eventDataOf,
  freeSlot,
  lockDefinitions,
  sortableTypes,
  uniqueTypes,
} from './custom-field.ts';
import { readExistingRecordsJob } from './read-existing-records.job.ts';

const fieldsMax = 100;
const orderMax = 10_000;

export const createCustomField: Handler<typeof customFields.createCustomField> = async (context) => {
  const { body, tx, emit, schedule } = context;
  const { entityType, key, sortable = false, options = [] } = body;
  const errors = contradictions({ ...body, options });
  if (errors.length) throw fail('validation_failed', errors);
  await lockDefinitions(tx, entityType);
  const others = await tx.customField.findMany({ where: { entityType, removedAt: null }, select: { key: true } });
  if (others.some((other) => other.key === key)) throw fail('key_taken', [{ field: 'key', message: 'Is taken' }]);
  if (others.length >= fieldsMax) throw fail('too_many_fields');
  const slot = sortable ? await freeSlot(tx, body) : null;
  const order = body.order ?? (await nextOrder(tx, entityType));
  const row = await tx.customField.create({ data: { ...body, options, sortable, slot, order } });
  const field = asCustomField(row);
  await schedule(readExistingRecordsJob, [{ fieldId: field.id, pass: field.pass, isRecheck: false }]);
  emit(customFieldCreated, { data: eventDataOf(field), record: field });
  return field;
};

/** Errors for settings that do not fit the type. */
export function contradictions(
  field: Pick<CustomFieldRecord, 'type' | 'options'> & { unique?: boolean | undefined; sortable?: boolean | undefined },
): FieldError[] {
  const { type, options, unique, sortable } = field;
  const hasOptions = type === 'select' || type === 'multi_select';
  const values = options.map(({ value }) => value);
  const rules: [boolean, string, string][] = [
    [hasOptions && !options.length, 'options', `Is required for the type ${type}`],
    [!hasOptions && options.length > 0, 'options', 'Applies only to select and multi_select; omit this field'],
    [new Set(values).size < values.length, 'options', 'Must not contain a value twice'],
    [unique === true && !uniqueTypes.includes(type), 'unique', `Applies only to ${uniqueTypes.join(', ')}`],
    [sortable === true && !sortableTypes.includes(type), 'sortable', `Applies only to ${sortableTypes.join(', ')}`],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, name, message]) => ({ field: name, message }));
}

async function nextOrder(tx: Tx, entityType: Entity): Promise<number> {
  const last = await tx.customField.findFirst({
    where: { entityType, removedAt: null },
    orderBy: [{ order: 'desc' }, { id: 'desc' }],
    select: { order: true },
  });
  return last ? Math.min(last.order + 1, orderMax) : 0;
}
