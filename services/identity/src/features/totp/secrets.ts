import { createHash, randomInt, randomUUID } from 'node:crypto';
import { recoveryCodesTotal, totpDigits } from '@tandem/identity-contract';
import type { Seal } from '@tandem/sealed';
import type { SealedColumn } from '@tandem/service';
import { Secret, TOTP } from 'otpauth';

const periodSeconds = 30;
const secretBytes = 20;
const secretContext = 'totp secret';
// Without characters that look alike. 32 characters: 16 of them have 80 bits.
const codeAlphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const codeGroups = 4;
const groupLength = 4;

/** The encrypted column of the second factor. */
export const sealedTotp: SealedColumn = { table: 'totp', column: 'secret', context: secretContext, ref: 'seal_ref' };

/** Creates a secret and its encrypted form. */
export function newSecret(seal: Seal) {
  const secret = new Secret({ size: secretBytes });
  const sealRef = randomUUID();
  return { secret, sealed: { sealRef, secret: seal.seal(secret.base32, `${secretContext} ${sealRef}`) } };
}

/** The address of a secret for authenticator apps, which list it under the tenant and the e-mail address. */
export function otpauthUri(secret: Secret, { issuer, label }: { issuer: string; label: string }): string {
  return new TOTP({ issuer, label, secret, algorithm: 'SHA1', digits: totpDigits, period: periodSeconds }).toString();
}

/**
 * The time step of a correct code: the current step, the one before or the one after, because clocks differ. Undefined
 * for a wrong code.
 */
export function stepOf(seal: Seal, row: { sealRef: string; secret: string }, code: string): number | undefined {
  const secret = Secret.fromBase32(seal.open(row.secret, `${secretContext} ${row.sealRef}`));
  const totp = new TOTP({ secret, algorithm: 'SHA1', digits: totpDigits, period: periodSeconds });
  const timestamp = Date.now();
  const delta = totp.validate({ token: code, timestamp, window: 1 });
  return delta === null ? undefined : Math.floor(timestamp / 1_000 / periodSeconds) + delta;
}

/** Creates recovery codes: `k7pq-3mzr-wd8h-x2fa`. */
export function newRecoveryCodes(): string[] {
  const group = () => Array.from({ length: groupLength }, () => codeAlphabet[randomInt(codeAlphabet.length)]).join('');
  return Array.from({ length: recoveryCodesTotal }, () => Array.from({ length: codeGroups }, group).join('-'));
}

/** SHA-256 of a recovery code without spaces and dashes. A fast hash is enough for 80 random bits. */
export function hashRecoveryCode(code: string): string {
  return createHash('sha256').update(code.toLowerCase().replace(/[\s-]/g, '')).digest('hex');
}
