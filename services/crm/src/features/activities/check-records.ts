import { fail, type Under } from '@tandem/service';
import { linkErrors } from '../../check-links.ts';
import type { Tx } from '../../handler.ts';
import { accountErrors } from '../accounts/check-account.ts';

/** Fails with field errors unless the caller can read the lead, the opportunity and the account of an activity. */
export async function checkRecords(
  inside: { tx: Tx; under: Under },
  links: Parameters<typeof linkErrors>[1] & { accountId?: number | null | undefined },
): Promise<void> {
  const errors = [...(await linkErrors(inside, links)), ...(await accountErrors(inside, links.accountId))];
  if (errors.length) throw fail('validation_failed', errors);
}
