import type { Erasing } from '@tandem/service';
import { certificateRevoked } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { dataOf } from '../certificates/certificate.ts';
import { erasedName } from '../certificates/erased.ts';

const batchMax = 100;

/**
 * Revokes the certificates of the person and removes the name: they prove nothing about anybody any more. The job that
 * adds the name leaves a certificate alone that has one, so it does not bring the name back.
 */
export async function eraseCertificates({ tx, emit, person: { leadIds } }: Erasing<Tx>): Promise<number> {
  const rows = await tx.certificate.findMany({
    where: { learnerType: 'lead', learnerId: { in: leadIds }, learnerName: { not: erasedName } },
    select: { id: true },
    orderBy: { id: 'asc' },
    take: batchMax,
  });
  for (const { id } of rows) {
    const before = await tx.certificate.lockFirst({ where: { id } });
    if (!before) continue;
    const isNew = before.status !== 'revoked';
    await tx.certificate.updateMany({
      where: { id },
      data: {
        learnerName: erasedName,
        revokeReason: null,
        ...(isNew && { status: 'revoked', revokedAt: new Date() }),
        version: { increment: 1 },
      },
    });
    const changes = { status: { from: before.status, to: 'revoked' } };
    if (isNew) emit(certificateRevoked, { data: dataOf(before), record: { id }, changes });
  }
  return rows.length;
}
