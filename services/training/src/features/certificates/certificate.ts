import { createHash, randomInt } from 'node:crypto';
import { unionNumber } from '@tandem/contract';
import { fail } from '@tandem/service';
import { Certificate, certificateStates } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Certificate as CertificateRow, Prisma } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';

export type CertificateRecord = z.output<typeof Certificate>;

const columns = Certificate.pick({ status: true, learnerType: true });
// Letters and digits only: mail programs leave punctuation at the end of an address out of the link.
const codeAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const codeLength = 21;

/** Makes a code of 125 random bits, which nobody can guess. */
export function makeCode(): string {
  return Array.from({ length: codeLength }, () => codeAlphabet[randomInt(codeAlphabet.length)]).join('');
}

/** The hash that identifies a code in the lookup table, which is readable without a tenant. */
export function hashCode(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}

/** Converts a row to the contract's `Certificate`. */
export function asCertificate(row: CertificateRow, { publicUrl }: Pick<Tools, 'publicUrl'>): CertificateRecord {
  const checked = columns.parse(row);
  const status = statusOf(row);
  return {
    ...row,
    ...checked,
    status,
    allowedTransitions: certificateStates.next(status),
    learnerId: unionNumber('learner', checked.learnerType, row.learnerId),
    url: `${publicUrl}/certificates/${row.code}`,
  };
}

/** A certificate expires at its time, also while the job that records this waits. */
export function statusOf({ status, expiresAt }: CertificateRow) {
  const stored = columns.shape.status.parse(status);
  return stored === 'valid' && expiresAt && expiresAt.getTime() <= Date.now() ? 'expired' : stored;
}

/** The condition of certificates with a status, also while the job that expires one waits. */
export function withStatus(status: CertificateRecord['status']): Prisma.CertificateWhereInput {
  const now = new Date();
  if (status === 'valid') return { status, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
  return status === 'expired' ? { OR: [{ status }, { status: 'valid', expiresAt: { lte: now } }] } : { status };
}

/** The data of events about a certificate. */
export function dataOf({ id, enrollmentId, courseId, learnerType, learnerId }: CertificateRow) {
  const learner = unionNumber('learner', columns.shape.learnerType.parse(learnerType), learnerId);
  return { certificateId: id, enrollmentId, courseId, learnerId: learner };
}

export async function readCertificate(tx: Tx, id: number): Promise<CertificateRow> {
  const row = await tx.certificate.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}
