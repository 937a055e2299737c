import { failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import type { Definition } from '../custom-fields/custom-field.ts';
import type { CustomWrite } from '../custom-fields/write-values.ts';

/** The values of unique custom fields that other records and earlier rows have. */
export async function uniqueValues(tx: Tx, writes: readonly CustomWrite[], definitions: readonly Definition[]) {
  const nameOf = ({ fieldId, value }: { fieldId: number; value: string }) => `${fieldId} ${value}`;
  const keys = writes.flatMap((custom) => custom.keys);
  const where = { fieldId: { in: keys.map(({ fieldId }) => fieldId) }, value: { in: keys.map(({ value }) => value) } };
  const taken = new Set(keys.length ? (await tx.customFieldKey.findMany({ where })).map(nameOf) : []);
  return {
    /** Fails with a field error when one of the values of a row is taken. */
    check({ keys: own }: CustomWrite): void {
      const double = own.find((key) => taken.has(nameOf(key)));
      if (!double) return;
      const { key, label } = definitions.find(({ id }) => id === double.fieldId) as Definition;
      throw failField(`customFields.${key}`, `Another record has this value; ${label} is unique`);
    },
    /** Takes the values of a row, so that no later row can have them. */
    take({ keys: own }: CustomWrite): void {
      for (const key of own) taken.add(nameOf(key));
    },
  };
}
