import { randomInt } from 'node:crypto';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';

// Excludes characters that are easily confused in print: 0, O, 1, I and L.
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const length = 8;
const attemptsMax = 5;

/**
 * Assigns a custom code to a partner.
 * @throws 409 if another partner of the tenant has it
 */
export async function addCode(tx: Tx, partnerId: number, code: string): Promise<void> {
  const { count } = await tx.referralCode.createMany({ data: [{ partnerId, code }], skipDuplicates: true });
  if (!count)
    throw fail('code_taken', [
      { field: 'referralCode', message: 'Must be unique; another partner has this referral code' },
    ]);
}

/** Generates a code for a partner that has none. */
export async function ensureCode(tx: Tx, partnerId: number): Promise<void> {
  if (await tx.referralCode.findFirst({ where: { partnerId }, select: { id: true } })) return;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const data = [{ partnerId, code: makeCode() }];
    const { count } = await tx.referralCode.createMany({ data, skipDuplicates: true });
    if (count) return;
  }
  throw new Error(`No unused referral code found in ${attemptsMax} attempts`);
}

function makeCode(): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
}
