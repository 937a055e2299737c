import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { erasedContent } from '../signatures/erased.ts';
import { isWaitingForDocument } from '../signatures/request.ts';

/** Job that erases name and signature of an erased person, once the signed document that shows them is stored. */
export const eraseSignatureJob = { name: 'erase-signature', payload: z.object({ signerId: z.int() }) };

const hourMs = 3_600_000;

export const eraseSignature = job({
  ...eraseSignatureJob,
  async run({ payload: { signerId: id }, finish }: JobContext<z.output<typeof eraseSignatureJob.payload>, Tx>) {
    await finish(async ({ tx }) => {
      const signer = await tx.signer.findFirst({ where: { id }, select: { requestId: true } });
      const request = signer && (await tx.signatureRequest.lockFirst({ where: { id: signer.requestId } }));
      if (!request) return undefined;
      // Making the document may have failed, and be tried again by the sender.
      if (isWaitingForDocument(request)) return new Date(Date.now() + hourMs);
      await tx.signer.updateMany({ where: { id }, data: erasedContent });
      return undefined;
    });
  },
});
