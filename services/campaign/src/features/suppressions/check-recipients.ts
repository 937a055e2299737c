import type { FieldError } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { suppressedAddresses } from './suppressed.ts';

/**
 * The distinct recipients of a test message.
 * @throws ApiError 422 naming `to.<index>` for suppressed ones
 */
export async function checkRecipients(
  tools: Pick<Tools, 'seal'>,
  tx: Tx,
  recipients: readonly string[],
): Promise<string[]> {
  const to = [...new Set(recipients)];
  const suppressed = await suppressedAddresses(tools, tx, { channel: 'email' }, to);
  const errors = recipients.flatMap((address, index): FieldError[] =>
    suppressed.has(address) ? [{ field: `to.${index}`, message: 'Is suppressed; it gets no messages' }] : [],
  );
  if (errors.length) throw fail('validation_failed', errors);
  return to;
}
