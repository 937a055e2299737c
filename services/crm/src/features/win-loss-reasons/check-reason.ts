import { failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/**
 * Fails unless the code is an active reason for the outcome. The reason is locked against deletion until the end of the
 * transaction, in which the deal gets the code.
 * @throws 422 naming `reasonCode`
 */
export async function checkReason(tx: Tx, outcome: 'won' | 'lost', code: string): Promise<void> {
  const [reason] = await tx.sql<{ active: boolean }>`SELECT active FROM win_loss_reason
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND outcome = ${outcome}
      AND code = ${code} FOR KEY SHARE`;
  if (!reason)
    throw failField(
      'reasonCode',
      `Is not the code of a reason for ${outcome} deals; GET /v1/config/win-loss-reasons?outcome=${outcome} lists them`,
    );
  if (!reason.active) throw failField('reasonCode', 'The reason is not active; choose another one');
}
