import type { Tx } from '../../handler.ts';

/** A status that a lead had since a time, or a stage that an opportunity was in. */
export interface Step {
  type: 'lead' | 'opportunity';
  recordId: number;
  at: Date;
  value: string;
}

/** Stores steps; one that is known already changes nothing. */
export async function addSteps(tx: Tx, steps: readonly Step[]): Promise<void> {
  if (steps.length) await tx.step.createMany({ data: [...steps], skipDuplicates: true });
}

/**
 * Stores the steps of records that the service of the records knows. The times of its history and of its events differ by
 * moments, so that a step is known if the record has it at almost the same time.
 */
export async function addRecordedSteps(tx: Tx, steps: readonly Step[]): Promise<void> {
  if (!steps.length) return;
  await tx.sql`
    INSERT INTO step (type, record_id, at, value)
    SELECT type, "recordId", at, value
    FROM jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) AS given (type text, "recordId" bigint, at timestamptz, value text)
    WHERE NOT EXISTS (
      SELECT FROM step AS known WHERE known.type = given.type AND known.record_id = given."recordId"
        AND known.value = given.value AND known.at BETWEEN given.at - interval '5 seconds' AND given.at + interval '5 seconds')
    ON CONFLICT DO NOTHING`;
}
