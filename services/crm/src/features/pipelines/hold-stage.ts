import { failField } from '@tandem/service';
import type { StatusDefinition } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

/**
 * Locks the stage that a deal enters, and its pipeline, against deletion until the end of the transaction.
 * @throws 422 naming `stageId` when it was deleted since it was read
 */
export async function holdStage(
  tx: Tx,
  { id, pipelineId }: Pick<StatusDefinition, 'id' | 'pipelineId'>,
): Promise<void> {
  // The pipeline first, as in its deletion, so that two transactions cannot wait for each other.
  await tx.sql`SELECT id FROM pipeline WHERE id = ${pipelineId} FOR KEY SHARE`;
  const [held] = await tx.sql`SELECT id FROM status_definition WHERE id = ${id} FOR KEY SHARE`;
  if (!held) throw failField('stageId', 'The stage was deleted; send the id of another stage');
}
