import type { Emit } from '@tandem/events';
import { signatureCancelled, signatureDeclined, signatureExpired } from '@tandem/files-contract';
import type { Signer as SignerRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { type Inside, sendAgainAt, sendEnd } from './notify.ts';
import { withdrawRequestJob } from './providers/withdraw-request.job.ts';
import { eventOf, isDone, peopleAndFields, writeRequest } from './request.ts';
import { sendOutcomeJob } from './send-outcome.job.ts';
import { record, type TrailEntry } from './trail.ts';
import type { WholeRequest } from './whole-request.ts';

type EndEvent = typeof signatureCancelled | typeof signatureDeclined | typeof signatureExpired;
export type Ending = Inside & { emit: Emit<EndEvent> };

interface End {
  status: 'cancelled' | 'declined' | 'expired';
  /** The entry of the audit trail. */
  entry: TrailEntry;
  /** Why the sender cancelled; the other people read it. */
  reason?: string | null;
  /** The person who declined. */
  decliner?: SignerRow;
  /** It was ended at the provider, so nothing must be withdrawn there. */
  isByProvider?: boolean;
  /** The file is about to be removed, so its document is withdrawn even if everybody has signed it at the provider. */
  isErased?: boolean;
}

/**
 * Ends a locked request before everybody has signed: writes the status and the audit trail, withdraws the request at its
 * provider or notifies the people who have a link, and emits the event.
 */
export async function endRequest(tools: Tools, inside: Ending, whole: WholeRequest, end: End): Promise<void> {
  const { tx, emit, schedule } = inside;
  const { status, entry, reason = null, decliner, isByProvider = false, isErased = false } = end;
  const isSent = whole.request.status !== 'draft';
  if (status === 'expired') await expireSigners(tx, whole);
  whole.request = await writeRequest(tx, whole.request.id, { status, cancelReason: reason, problem: null });
  await record(tx, whole.request, entry);
  const { provider, providerRef } = whole.request;
  // Before a request has its id at the provider, the job that submits it withdraws it.
  if (providerRef !== null && !isByProvider)
    await schedule(withdrawRequestJob, [{ provider, providerRef, ...(isErased && { evenIfCompleted: true }) }]);
  // Providers send messages of their own.
  if (provider === 'builtin' && isSent && !(await sendEnd(tools, inside, whole)))
    await schedule(sendOutcomeJob, [{ requestId: whole.request.id }], sendAgainAt());
  const event = eventOf(whole.request);
  if (status === 'cancelled') return emit(signatureCancelled, event);
  if (status === 'expired') return emit(signatureExpired, event);
  if (!decliner) throw new Error('A request is declined by a person');
  emit(signatureDeclined, { ...event, data: { ...event.data, signerId: decliner.id } });
}

async function expireSigners(tx: Tx, { signers }: WholeRequest): Promise<void> {
  const late = signers.filter((one) => one.role !== 'cc' && !isDone(one));
  await tx.signer.updateMany({ where: { id: { in: late.map(({ id }) => id) } }, data: { status: 'expired' } });
}

/**
 * Cancels what people are signing of files that are about to be removed, and with them their requests. Files are locked
 * before requests, as everywhere.
 */
export async function endRequestsOfFiles(tools: Tools, inside: Ending, fileIds: readonly number[]): Promise<void> {
  const where = { fileId: { in: [...fileIds] }, status: { in: ['sent', 'in_progress'] } };
  const rows = await inside.tx.signatureRequest.findMany({ where, orderBy: [{ fileId: 'asc' }, { id: 'asc' }] });
  for (const { id, fileId } of rows) {
    await inside.tx.file.lockFirst({ where: { id: fileId } });
    const request = await inside.tx.signatureRequest.lockFirst({ where: { id } });
    if (request?.status !== 'sent' && request?.status !== 'in_progress') continue;
    const whole = { request, ...(await peopleAndFields(inside.tx, [id])) };
    await endRequest(tools, inside, whole, { status: 'cancelled', entry: { type: 'cancelled' }, isErased: true });
  }
}
