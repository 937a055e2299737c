import { id } from '@tandem/contract';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import type { Fragment } from '@tandem/tenant-db';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { slotColumns, tables } from './columns.ts';
import { asCustomField, type Definition } from './custom-field.ts';
import { type Checked, checkValue, givenValue } from './values.ts';

/** Job that reads the records that are older than a definition: for sorting, uniqueness and `misfits`. */
export const readExistingRecordsJob = {
  name: 'read-existing-records',
  payload: z.object({
    fieldId: id('custom_field'),
    // Rows that the previous release has scheduled have no number; they continue the current pass.
    pass: z.int().optional(),
    isRecheck: z.boolean(),
  }),
};
type Payload = z.output<typeof readExistingRecordsJob.payload>;

const batchMax = 2_000;
// A write that began before the definition was committed does not know it. It ends within this time.
const recheckAfterMs = 60_000;
const repeatAfterMs = 600_000;

interface Stored {
  id: number;
  value: unknown;
  isDeleted: boolean;
}

/**
 * Reads batch by batch along the ids. The position is stored in the transaction of its batch, so that a run that is
 * repeated after a crash continues. The records are read once more later, for those that were written meanwhile. A change
 * of the definition starts a new pass, which ends the earlier one: both would move the same position.
 */
export const readExistingRecords = job({
  ...readExistingRecordsJob,
  run: ({ payload, finish }: JobContext<Payload, Tx>) =>
    finish(async ({ tx, schedule }) => {
      const { fieldId, pass, isRecheck } = payload;
      const row = await tx.customField.lockFirst({ where: { id: fieldId, ...(pass !== undefined && { pass }) } });
      if (!row) return undefined;
      const field = asCustomField(row);
      const table = tables[field.entityType];
      const records = await nextRecords(tx, { table, key: field.key, after: row.readTo });
      if (records.length) {
        const isRemoved = row.removedAt !== null;
        const misfits = await store(tx, { table, field, records, isRemoved });
        const readTo = records.at(-1)?.id as number;
        const counted = isRecheck ? {} : { misfits: { increment: misfits } };
        await tx.customField.updateMany({ where: { id: fieldId }, data: { readTo, ...counted } });
        return new Date();
      }
      const isUnique = field.unique && row.removedAt === null;
      if (!isUnique && (await deleteKeys(tx, fieldId)) === batchMax) return new Date();
      if (row.removedAt) {
        await tx.customField.deleteMany({ where: { id: fieldId } });
        return undefined;
      }
      await tx.customField.updateMany({
        where: { id: fieldId },
        data: { status: 'ready', readTo: 0, ...(!field.sortable && { slot: null }) },
      });
      if (!isRecheck) await schedule(readExistingRecordsJob, [{ ...payload, isRecheck: true }], after(recheckAfterMs));
      return undefined;
    }),
  // A field must not stay `indexing`, nor a deleted one keep its column, after an outage that outlasts all attempts.
  async giveUp({ payload, schedule }: GiveUpContext<Payload, Tx>) {
    await schedule(readExistingRecordsJob, [payload], after(repeatAfterMs));
  },
});

function after(ms: number): Date {
  return new Date(Date.now() + ms);
}

/**
 * Deletes a batch of the values that were unique; returns how many. Writers ignore them: they read only the definitions
 * of unique fields that exist.
 */
async function deleteKeys(tx: Tx, fieldId: number): Promise<number> {
  const deleted = await tx.sql`DELETE FROM custom_field_key WHERE field_id = ${fieldId}::bigint AND value IN (
    SELECT value FROM custom_field_key WHERE field_id = ${fieldId}::bigint LIMIT ${batchMax}) RETURNING record_id`;
  return deleted.length;
}

/** Locks the records, so that their values are not overwritten by older ones. */
function nextRecords(
  tx: Tx,
  { table, key, after }: { table: Fragment; key: string; after: number },
): Promise<Stored[]> {
  return tx.sql<Stored>`SELECT id, custom_fields -> ${key} AS value, deleted_at IS NOT NULL AS "isDeleted" FROM ${table}
    WHERE id > ${after} ORDER BY id LIMIT ${batchMax} FOR NO KEY UPDATE`;
}

/** Writes the columns and unique values of these records; returns how many have a value that does not fit. */
async function store(
  tx: Tx,
  { table, field, records, isRemoved }: { table: Fragment; field: Definition; records: Stored[]; isRemoved: boolean },
): Promise<number> {
  const checked = records.map(({ id: recordId, value: stored, isDeleted }) => {
    const value = givenValue(stored);
    const result: Checked = value === null || isRemoved ? {} : checkValue(field, value);
    const { sortValue, keyValue } = 'sortValue' in result ? result : { sortValue: null, keyValue: undefined };
    return {
      id: recordId,
      value: field.sortable ? sortValue : null,
      key: isDeleted ? undefined : keyValue,
      isMisfit: 'error' in result,
    };
  });
  const slot = field.slot && slotColumns[field.slot];
  if (slot) {
    const rows = JSON.stringify(checked.map(({ id: recordId, value }) => ({ id: recordId, value })));
    await tx.sql`UPDATE ${table} AS record SET ${slot.column} = row.value
      FROM jsonb_to_recordset(${rows}::jsonb) AS row (id bigint, value ${slot.type})
      WHERE record.id = row.id AND record.${slot.column} IS DISTINCT FROM row.value`;
  }
  const refused = field.unique && !isRemoved ? await claimAll(tx, field.id, checked) : 0;
  return checked.filter(({ isMisfit }) => isMisfit).length + refused;
}

/** Claims the values of a unique field for the first record that has each; returns how many others have one of them. */
async function claimAll(tx: Tx, fieldId: number, checked: { id: number; key: string | undefined }[]): Promise<number> {
  const keys = checked.flatMap(({ id: recordId, key }) => (key === undefined ? [] : [{ id: recordId, key }]));
  if (!keys.length) return 0;
  await tx.sql`INSERT INTO custom_field_key (field_id, value, record_id)
    SELECT ${fieldId}::bigint, row.key, row.id FROM jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) AS row (id bigint, key text)
    ORDER BY row.id ON CONFLICT DO NOTHING`;
  const claimed = await tx.customFieldKey.count({ where: { fieldId, recordId: { in: keys.map((one) => one.id) } } });
  return keys.length - claimed;
}
