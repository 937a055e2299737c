import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { erasedContent } from '../signatures/erased.ts';
import { isWaitingForDocument } from '../signatures/request.ts';

/** Job that erases name and signature of an erased person, once the signed document that shows them is stored. */
export const eraseSignatureJob = {
  name: 'erase-signature',
  payload: z.object({ signerId: z.int(), latestAt: z.coerce.date() }),
};

const hourMs = 3_600_000;
const waitMs = 30 * 24 * hourMs;

/** When they are erased at the latest: the sender may never retry a document that could not be made. */
export function eraseSignatureBy(): Date {
  return new Date(Date.now() + waitMs);
}

export const eraseSignature = job({
  ...eraseSignatureJob,
  async run({
    payload: { signerId: id, latestAt },
    finish,
  }: JobContext<z.output<typeof eraseSignatureJob.payload>, Tx>) {
    await finish(async ({ tx }) => {
      const signer = await tx.signer.findFirst({ where: { id }, select: { requestId: true } });
      const request = signer && (await tx.signatureRequest.lockFirst({ where: { id: signer.requestId } }));
      if (!request) return undefined;
      // Making the document may have failed, and be tried again by the sender.
      if (isWaitingForDocument(request) && latestAt > new Date()) return new Date(Date.now() + hourMs);
      await tx.signer.updateMany({ where: { id }, data: erasedContent });
      return undefined;
    });
  },
});
