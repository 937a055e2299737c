import type { FieldError } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { suppressedAddresses } from './suppressed.ts';

// Test messages go to addresses that nobody has confirmed, so a tenant sends few of them in 24 hours.
const testsPerDayMax = 100;

/**
 * The distinct recipients of a test message.
 * @throws ApiError 422 naming `to.<index>` for suppressed ones, 429 when the tenant has sent too many tests
 */
export async function checkRecipients(
  tools: Pick<Tools, 'seal'>,
  tx: Tx,
  recipients: readonly string[],
): Promise<string[]> {
  const to = [...new Map(recipients.map((address) => [address.toLowerCase(), address])).values()];
  const suppressed = await suppressedAddresses(tools, tx, { channel: 'email' }, to);
  const errors = recipients.flatMap((address, index): FieldError[] =>
    suppressed.has(address) ? [{ field: `to.${index}`, message: 'Is suppressed; it gets no messages' }] : [],
  );
  if (errors.length) throw fail('validation_failed', errors);
  // Until the tests of a concurrent request are counted too.
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('test messages ' || platform.tenant_id(), 0))`;
  const [sent] = await tx.sql<{ tests: number }>`SELECT count(*)::int AS tests FROM platform.mail
    WHERE template IN ('template_test', 'campaign_test') AND created_at > now() - interval '24 hours'`;
  if ((sent?.tests ?? 0) + to.length > testsPerDayMax) throw fail('mail_limit');
  return to;
}
