import type { Emit } from '@tandem/events';
import { fail } from '../api-error.ts';
import { diff } from '../diff.ts';

// Records of one kind that are changed in one transaction; their locks last until its end.
const batchMax = 100;

type Where = Readonly<Record<string, unknown>>;

/** A row with a team, as every model of owned records has it. */
interface OwnedRow {
  id: number;
  teamId: number | null;
}

/** A model of the tenant's database; its conditions are checked by the database. */
interface OwnedModel<Row> {
  // biome-ignore lint/suspicious/noExplicitAny: each Prisma model has its own argument types.
  count(args: any): PromiseLike<number>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  findMany(args: any): PromiseLike<{ id: number }[]>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  lockFirst(args: any): Promise<Row | null>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  updateManyAndReturn(args: any): PromiseLike<unknown[]>;
}

/** A change of the owner or the team of a record that is already written. */
interface OwnerChange<Row> {
  emit: Emit;
  /** The row after the change. */
  row: Row;
  /** The changed columns with their new values, and with both values as the audit log stores them. */
  values: Record<string, unknown>;
  changes: Record<string, { from: unknown; to: unknown }>;
}

/** The owned records of a model: whom they belong to, and how they change. */
export interface OwnedRecords<Tx, Row extends OwnedRow = OwnedRow> {
  model(tx: Tx): OwnedModel<Row>;
  /** The column of the user to whom a record belongs; absent if records belong to a team only. */
  owner?: keyof Row & string;
  /** The condition of records that are not deleted. */
  exists?: Where;
  /** The condition of records on which their owner is expected to act. Only these are counted and handed over. */
  open?: Where;
  /** Emits the event of a change of the record. */
  updated(change: OwnerChange<Row>): void;
}

/** Declares the owned records of a model, and infers their types. */
export function ownedRecords<Tx, Row extends OwnedRow>(
  declared: OwnedRecords<Tx, Row>,
  // biome-ignore lint/suspicious/noExplicitAny: each model has its own row.
): OwnedRecords<Tx, any> {
  return declared;
}

/** The next team of a record, and its next owner if that changes. */
export type Next = (record: OwnedRow) => { owner?: number | null; teamId: number | null };

/**
 * Changes the next batch of records that meet the condition, each with its version, event and audit entry, as an update
 * by a user would.
 * @returns whether there may be more
 */
export async function changeOwned<Tx>(
  { tx, emit }: { tx: Tx; emit: Emit },
  { model, owner, updated }: OwnedRecords<Tx>,
  { where, next }: { where: Where; next: Next },
): Promise<boolean> {
  const records = model(tx);
  const found = await records.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take: batchMax });
  let changed = 0;
  for (const { id } of found) {
    // The record may have been reassigned or closed since it was found.
    const before = await records.lockFirst({ where: { ...where, id } });
    if (!before) continue;
    const { owner: nextOwner, teamId } = next(before);
    const change = { teamId, ...(owner && nextOwner !== undefined && { [owner]: nextOwner }) };
    const { isEmpty, values, audit } = diff(before, change);
    if (isEmpty) continue;
    const data = { ...values, version: { increment: 1 } };
    const [row] = (await records.updateManyAndReturn({ where: { id }, data })) as OwnedRow[];
    if (!row) throw fail('not_found');
    updated({ emit, row, values, changes: audit });
    changed++;
  }
  return found.length === batchMax && changed > 0;
}
