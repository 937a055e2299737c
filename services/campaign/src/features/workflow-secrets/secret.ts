import { randomBytes } from 'node:crypto';
import type { SealedColumn } from '@tandem/service';
import type { Workflow as WorkflowRow } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';

type Sealing = Pick<Tools, 'seal'>;
type Columns = Pick<WorkflowRow, 'id' | 'secret' | 'previousSecret' | 'secretRotatedAt'>;

const secretBytes = 32;
const context = 'workflow secret';
/** A replaced secret works for this time, so that the other system can be given the new one. */
const overlapMs = 24 * 3_600_000;

/** The encrypted columns of workflows. */
export const sealedWorkflowSecrets: readonly SealedColumn[] = [
  { table: 'workflow', column: 'secret', context, ref: 'id' },
  { table: 'workflow', column: 'previous_secret', context, ref: 'id' },
];

/** A new secret of a workflow, and its encrypted form. */
export function newSecret({ seal }: Sealing, workflowId: number): { secret: string; sealed: string } {
  const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`;
  return { secret, sealed: seal.seal(secret, `${context} ${workflowId}`) };
}

/** The secrets that sign and open requests now, the current one first; none before the first rotation or publication. */
export function secretsOf({ seal }: Sealing, { id, secret, previousSecret, secretRotatedAt }: Columns): string[] {
  const isOverlapping = secretRotatedAt !== null && Date.now() - secretRotatedAt.getTime() < overlapMs;
  return [secret, isOverlapping ? previousSecret : null].flatMap((sealed) =>
    sealed === null ? [] : [seal.open(sealed, `${context} ${id}`)],
  );
}
