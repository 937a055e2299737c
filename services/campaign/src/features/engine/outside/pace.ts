import type { Tools, Tx } from '../../../handler.ts';
import type { ToSend } from './to-send.ts';

/** Those of the messages that the daily limit of the tenant permits, from the first on. */
export async function withinDailyLimit(
  { mailer }: Pick<Tools, 'mailer'>,
  tx: Tx,
  wanted: readonly ToSend[],
): Promise<readonly ToSend[]> {
  // Messages of the sandbox do not leave, so they do not count.
  if (!wanted.length || wanted[0]?.due.environment === 'sandbox') return wanted;
  for (let count = wanted.length; count > 0; count = Math.floor(count / 2))
    if (await mailer.count(tx, count)) return wanted.slice(0, count);
  return [];
}
