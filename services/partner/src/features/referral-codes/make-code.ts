import { randomInt } from 'node:crypto';
import { fail } from '@tandem/service';
import type { ReferralCode as CodeRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

// Excludes characters that are easily confused in print: 0, O, 1, I and L.
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const length = 8;
const attemptsMax = 5;

interface CodeData extends Partial<Pick<CodeRow, 'label' | 'landingUrl' | 'campaignId' | 'expiresAt' | 'maxUses'>> {
  partnerId: number;
  createdBy?: number | null;
}

/**
 * Stores a code; without one, generates it.
 * @returns undefined if the code is taken
 */
export async function insertCode(tx: Tx, code: string | null, data: CodeData): Promise<CodeRow | undefined> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const row = { ...data, code: code ?? makeCode() };
    const [stored] = await tx.referralCode.createManyAndReturn({ data: [row], skipDuplicates: true });
    if (stored || code) return stored;
  }
  throw new Error(`No unused referral code found in ${attemptsMax} attempts`);
}

/**
 * Assigns a custom code to a partner.
 * @throws 409 if another partner of the tenant has it
 */
export async function addCode(tx: Tx, partnerId: number, code: string): Promise<void> {
  if (!(await insertCode(tx, code, { partnerId })))
    throw fail('code_taken', [
      { field: 'referralCode', message: 'Must be unique; another partner has this referral code' },
    ]);
}

/** Generates a code for a partner that has none. */
export async function ensureCode(tx: Tx, partnerId: number): Promise<void> {
  if (await tx.referralCode.findFirst({ where: { partnerId }, select: { id: true } })) return;
  await insertCode(tx, null, { partnerId });
}

function makeCode(): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
}
