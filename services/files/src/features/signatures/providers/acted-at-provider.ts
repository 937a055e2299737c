import type { Emit } from '@tandem/events';
import { signatureSigned, signatureViewed } from '@tandem/files-contract';
import type { Signer as SignerRow } from '../../../generated/client.ts';
import type { Tx } from '../../../handler.ts';
import { eventOf, isDone, writeRequest } from '../request.ts';
import { record } from '../trail.ts';
import type { WholeRequest } from '../whole-request.ts';

interface Acting {
  tx: Tx;
  emit: Emit<typeof signatureViewed | typeof signatureSigned>;
}

/** Records that a person read or signed the document at the provider of a locked request. */
export async function recordAction(
  { tx, emit }: Acting,
  whole: WholeRequest,
  signer: SignerRow,
  status: 'viewed' | 'signed',
): Promise<void> {
  const time = new Date();
  const data = { status, ...(status === 'viewed' ? { viewedAt: time } : { signedAt: time }) };
  await tx.signer.updateMany({ where: { id: signer.id }, data });
  Object.assign(signer, data);
  whole.request = await writeRequest(tx, whole.request.id, { status: 'in_progress' });
  await record(tx, whole.request, { type: status, signerId: signer.id });
  const event = eventOf(whole.request);
  const definition = status === 'viewed' ? signatureViewed : signatureSigned;
  emit(definition, { data: { ...event.data, signerId: signer.id }, record: event.record });
}

/** Records that everybody has acted, also those of whom the event of their own has not arrived yet. */
export async function recordAllActions(inside: Acting, whole: WholeRequest): Promise<void> {
  for (const signer of whole.signers) {
    if (signer.role === 'cc' || isDone(signer)) continue;
    await recordAction(inside, whole, signer, signer.role === 'viewer' ? 'viewed' : 'signed');
  }
}
