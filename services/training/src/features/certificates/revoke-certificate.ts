import { actingUserId } from '@tandem/caller';
import { fail, transitionError } from '@tandem/service';
import { certificateRevoked, type certificates } from '@tandem/training-contract';
import type { Certificate as CertificateRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { asCertificate, dataOf } from './certificate.ts';

export const revokeCertificate =
  (tools: Pick<Tools, 'publicUrl'>): Handler<typeof certificates.revokeCertificate> =>
  async ({ params, body, caller, tx, emit, ifMatch }) => {
    const before = await tx.certificate.lockFirst({ where: { id: params.id } });
    if (!before) throw fail('not_found');
    ifMatch(before);
    if (before.status === 'revoked') throw fail('transition_refused', [transitionError('revoked', [])]);
    const [row] = await tx.certificate.updateManyAndReturn({
      where: { id: before.id },
      data: {
        status: 'revoked',
        revokedAt: new Date(),
        revokedBy: actingUserId(caller) ?? null,
        revokeReason: body.reason ?? null,
        version: { increment: 1 },
      },
    });
    const revoked = row as CertificateRow;
    emit(certificateRevoked, {
      data: dataOf(revoked),
      record: { id: revoked.id },
      changes: { status: { from: before.status, to: 'revoked' } },
    });
    return asCertificate(revoked, tools);
  };
