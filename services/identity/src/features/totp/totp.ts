import type { Emit } from '@tandem/events';
import {
  type notificationCreated,
  recoveryCodesTotal,
  recoveryCodeUsed,
  type TotpEnrollment,
  totpEnabled,
} from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Totp as TotpRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { Inside } from '../account/account-mail.ts';
import { notify } from '../notifications/notify.ts';
import { hashRecoveryCode, newRecoveryCodes, newSecret, otpauthUri, stepOf } from './secrets.ts';
import { mailTotpChange } from './totp-mail.ts';

interface Mailable {
  id: number;
  email: string;
  firstName: string;
}

const enrollmentMs = 3_600_000;
const fewCodes = 3;

/** The second factor that a user has to prove; null without one. */
export function findConfirmed(tx: Tx, userId: number): Promise<TotpRow | null> {
  return tx.totp.findFirst({ where: { userId, confirmedAt: { not: null } } });
}

/** Like `findTotp`, with row locks: a code is accepted once. The user is locked first, as wherever sessions are opened. */
export async function lockTotp(tx: Tx, userId: number) {
  await tx.sql`SELECT id FROM "user" WHERE id = ${userId} FOR NO KEY UPDATE`;
  await tx.sql`SELECT id FROM totp WHERE user_id = ${userId} ORDER BY id FOR UPDATE`;
  return findTotp(tx, userId);
}

/** Loads the second factor in use and the enrolment in progress. */
export async function findTotp(tx: Tx, userId: number) {
  const rows = await tx.totp.findMany({ where: { userId } });
  const since = Date.now() - enrollmentMs;
  return {
    confirmed: rows.find(({ confirmedAt }) => confirmedAt !== null),
    pending: rows.find(({ confirmedAt, createdAt }) => confirmedAt === null && createdAt.getTime() > since),
  };
}

/** Starts an enrolment, which replaces another one in progress. */
export async function enroll(
  tx: Tx,
  { user, tenant }: { user: { id: number; email: string }; tenant: { name: string } },
  tools: Tools,
): Promise<z.output<typeof TotpEnrollment>> {
  // Serializes enrolments of one user.
  await tx.sql`SELECT id FROM "user" WHERE id = ${user.id} FOR NO KEY UPDATE`;
  await tx.totp.deleteMany({ where: { userId: user.id, confirmedAt: null } });
  const { secret, sealed } = newSecret(tools.seal);
  const { id: totpId } = await tx.totp.create({ data: { userId: user.id, ...sealed } });
  const recoveryCodes = newRecoveryCodes();
  await tx.recoveryCode.createMany({ data: recoveryCodes.map((code) => ({ totpId, hash: hashRecoveryCode(code) })) });
  return {
    otpauthUri: otpauthUri(secret, { issuer: `Tandem ${tenant.name}`, label: user.email }),
    secret: secret.base32,
    recoveryCodes,
  };
}

/**
 * Confirms an enrolment by a code of the app, and notifies the user by mail.
 * @returns whether the code is correct
 */
export async function confirm(
  { tx, emit, schedule }: Inside & { emit: Emit<typeof totpEnabled> },
  { user, pending, code }: { user: Mailable; pending: TotpRow; code: string },
  tools: Tools,
): Promise<boolean> {
  const userId = user.id;
  const step = stepOf(tools.seal, pending, digitsOf(code));
  if (step === undefined) return false;
  const { count: replaced } = await tx.totp.deleteMany({
    where: { userId, id: { not: pending.id }, confirmedAt: { not: null } },
  });
  await tx.totp.deleteMany({ where: { userId, id: { not: pending.id } } });
  await tx.totp.updateMany({ where: { id: pending.id }, data: { confirmedAt: new Date(), lastStep: step } });
  emit(totpEnabled, { data: { userId }, record: { id: userId } });
  await mailTotpChange({ tx, schedule }, user, replaced ? 'replaced' : 'enabled', tools);
  return true;
}

/**
 * Accepts a code of the app or a recovery code, each once. The row must be locked.
 * @returns how it was proven; undefined for a wrong code
 */
export async function accept(
  tx: Tx,
  emit: Emit<typeof recoveryCodeUsed | typeof notificationCreated>,
  { row, code }: { row: TotpRow; code: string },
  tools: Tools,
): Promise<'totp' | 'recovery_code' | undefined> {
  const digits = digitsOf(code);
  if (isOfApp(digits)) {
    const step = stepOf(tools.seal, row, digits);
    if (step === undefined || step <= (row.lastStep ?? 0)) return undefined;
    await tx.totp.updateMany({ where: { id: row.id }, data: { lastStep: step } });
    return 'totp';
  }
  const { count } = await tx.recoveryCode.updateMany({
    where: { totpId: row.id, hash: hashRecoveryCode(code), usedAt: null },
    data: { usedAt: new Date() },
  });
  if (!count) return undefined;
  const { userId } = row;
  const left = await tx.recoveryCode.count({ where: { totpId: row.id, usedAt: null } });
  emit(recoveryCodeUsed, { data: { userId, left }, record: { id: userId } });
  if (left <= fewCodes)
    await notify(tx, emit, {
      userIds: [userId],
      title: {
        en: left === 1 ? 'One recovery code is left' : `${left} recovery codes are left`,
        de: left === 1 ? 'Ein Wiederherstellungscode ist übrig' : `${left} Wiederherstellungscodes sind übrig`,
      },
      body: {
        en: `You have used ${recoveryCodesTotal - left} of ${recoveryCodesTotal} recovery codes. Set up the second factor again to get new ones.`,
        de: `Sie haben ${recoveryCodesTotal - left} von ${recoveryCodesTotal} Wiederherstellungscodes verwendet. Richten Sie den zweiten Faktor neu ein, um neue zu erhalten.`,
      },
      category: 'security',
      data: { recoveryCodesLeft: left },
    });
  return 'recovery_code';
}

/**
 * Checks a code before the transaction that accepts it, so that attempts that wait for one another hold no connection.
 * Wrong codes are limited per user, whatever their address: an attacker with the password may have many addresses.
 * @throws ApiError 422 for a wrong code, 429 after five within a minute or 20 within an hour
 */
export async function checkCode(
  { tx, tenantId, row, code }: { tx: Tx; tenantId: number; row: TotpRow; code: string },
  tools: Tools,
): Promise<void> {
  const attempt = async () => ((await isCorrect(tx, { row, code }, tools)) ? true : undefined);
  if (!(await limited({ tenantId, userId: row.userId }, attempt, tools))) throw wrongCode();
}

// Five a minute for ever would find a code of six digits within weeks. Only somebody with the password gets this far.
const hourLimit = { failuresMax: 20, windowMs: 3_600_000 };

/** Runs an attempt to prove the second factor; undefined when it failed. */
export function limited<T>(
  { tenantId, userId }: { tenantId: number; userId: number },
  attempt: () => Promise<T | undefined>,
  { limiter }: Tools,
): Promise<T | undefined> {
  const who = `${tenantId} ${userId}`;
  const withinMinute = () => limiter.guard({ email: `second factor ${who}`, ip: '' }, attempt);
  return limiter.guard({ email: `second factor hour ${who}`, ip: '' }, withinMinute, hourLimit);
}

async function isCorrect(tx: Tx, { row, code }: { row: TotpRow; code: string }, tools: Tools): Promise<boolean> {
  const digits = digitsOf(code);
  if (isOfApp(digits)) return (stepOf(tools.seal, row, digits) ?? 0) > (row.lastStep ?? 0);
  const where = { totpId: row.id, hash: hashRecoveryCode(code), usedAt: null };
  return row.confirmedAt !== null && (await tx.recoveryCode.count({ where })) > 0;
}

/** The error for a wrong code. */
export function wrongCode() {
  return fail('bad_code', [
    { field: 'code', message: 'Must be the current code of the app or an unused recovery code' },
  ]);
}

/** The signed-in person; API keys have no second factor. */
export function personOf({ userId }: { userId?: number }): number {
  if (userId === undefined) throw fail('not_found');
  return userId;
}

function isOfApp(digits: string): boolean {
  return /^\d{6}$/.test(digits);
}

function digitsOf(code: string): string {
  return code.replace(/[\s-]/g, '');
}
