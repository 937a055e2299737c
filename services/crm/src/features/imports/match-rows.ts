import type { FieldError } from '@tandem/contract';
import type { Checked, Dedupe, Outcome } from './target.ts';

interface Matching<Body> {
  dedupe: Dedupe;
  /** The value by which a row is recognized; undefined for a row that has none. */
  keyOf(body: Body): string | undefined;
  /** The existing record of each key. */
  existing: ReadonlyMap<string, number>;
  /** The errors of a row that lacks fields of a new record. */
  missing?(body: Body, key: string | undefined): FieldError[];
  create(records: readonly Checked<Body>[]): Promise<Outcome[]>;
  /** Locks existing records before the first of them is updated. */
  lock(ids: readonly number[]): Promise<void>;
  update(id: number, record: Checked<Body>): Promise<Outcome>;
}

/** Creates and updates the records of a batch. Of rows with the same key, the first creates the record, and the others find it. */
export async function matchRows<Body>(
  records: readonly Checked<Body>[],
  { dedupe, keyOf, existing, missing, create, lock, update }: Matching<Body>,
): Promise<Outcome[]> {
  const firstOf = new Map<string, number>();
  const creating: Checked<Body>[] = [];
  const incomplete: Outcome[] = [];
  const matching: { record: Checked<Body>; key: string }[] = [];
  for (const record of records) {
    const key = dedupe.action === 'create' ? undefined : keyOf(record.body);
    if (key !== undefined && (existing.has(key) || firstOf.has(key))) matching.push({ record, key });
    else {
      const errors = missing?.(record.body, key) ?? [];
      if (errors.length) {
        incomplete.push({ row: record.row, action: 'failed', errors });
        continue;
      }
      creating.push(record);
      if (key !== undefined) firstOf.set(key, record.row);
    }
  }
  if (dedupe.action === 'update') await lock(matching.flatMap(({ key }) => existing.get(key) ?? []));
  const outcomes = [...incomplete, ...(await create(creating))];
  const outcomeOf = new Map(outcomes.map((outcome) => [outcome.row, outcome]));
  for (const { record, key } of matching) {
    const first = outcomeOf.get(firstOf.get(key) ?? 0);
    const id = existing.get(key) ?? (first?.action === 'created' ? first.id : undefined);
    if (id === undefined) {
      const message = 'The earlier row with this value could not be imported';
      outcomes.push({ row: record.row, action: 'failed', errors: [{ field: dedupe.by, message }] });
    } else if (dedupe.action === 'skip') outcomes.push({ row: record.row, action: 'skipped' });
    else outcomes.push(await update(id, record));
  }
  return outcomes;
}
