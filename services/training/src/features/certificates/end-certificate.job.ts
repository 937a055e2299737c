import { type JobContext, job } from '@tandem/jobs';
import { certificateExpired, certificateExpiring } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { dataOf } from './certificate.ts';
import { certificateTimeJob } from './certificate-time.ts';

/** Announces the end of a certificate, and ends it at its time. A revoked one stays as it is. */
export const endCertificate = job({
  ...certificateTimeJob,
  async run({ payload, finish }: JobContext<z.output<typeof certificateTimeJob.payload>, Tx>) {
    await finish(async ({ tx, emit }) => {
      const row = await tx.certificate.lockFirst({ where: { id: payload.certificateId } });
      if (row?.status !== 'valid' || row.expiresAt?.getTime() !== payload.expiresAt.getTime()) return;
      const about = { data: dataOf(row), record: { id: row.id } };
      if (payload.kind === 'expiring') return void emit(certificateExpiring, about);
      await tx.certificate.updateManyAndReturn({
        where: { id: row.id },
        data: { status: 'expired', version: { increment: 1 } },
      });
      emit(certificateExpired, about);
    });
  },
});
