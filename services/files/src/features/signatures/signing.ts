import type { Emit } from '@tandem/events';
import { Signing, type signatureDeclined, type signatureSigned, signatureViewed } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Signer as SignerRow } from '../../generated/client.ts';
import type { SignLink, Tools, Tx } from '../../handler.ts';
import { completeRequestJob } from './complete-request.job.ts';
import { inviteSignersJob } from './invite-signers.job.ts';
import { findSigner } from './links.ts';
import { type Inside, notifyTurn, sendAgainAt } from './notify.ts';
import { eventOf, findRequest, isDone, isOpen, lockRequest, turnOf, writeRequest } from './request.ts';
import { consentOf } from './texts.ts';
import { record } from './trail.ts';
import type { WholeRequest } from './whole-request.ts';

export type SigningRecord = z.output<typeof Signing>;

/** A request with the person whose link is used. */
export interface Seen extends WholeRequest {
  signer: SignerRow;
  filename: string;
}

/** How a person who acts is recorded as evidence. */
export interface Person {
  ip?: string | undefined;
  userAgent?: string | undefined;
}

const signerColumns = Signing.shape.signer.pick({ role: true, status: true });
const columns = Signing.pick({ status: true });

/** Finds the request of a link without a lock, also one that has ended. */
export async function findSeen(tx: Tx, link: SignLink, token: string): Promise<Seen> {
  const { requestId } = await findSigner(tx, link, token);
  return seenBy(tx, await findRequest(tx, requestId), link);
}

/** Finds and locks the request of a link on which a person acts. */
export async function lockSeen(tx: Tx, link: SignLink, token: string): Promise<Seen> {
  const { requestId } = await findSigner(tx, link, token);
  return seenBy(tx, await lockRequest(tx, requestId), link);
}

async function seenBy(tx: Tx, whole: WholeRequest, { signerId }: SignLink): Promise<Seen> {
  const signer = whole.signers.find(({ id }) => id === signerId);
  const file = await tx.file.findFirst({ where: { id: whole.request.fileId } });
  if (!signer || !file) throw fail('not_found');
  return { ...whole, signer, filename: file.filename };
}

/** The request as its link shows it. */
export function asSigning(tools: Pick<Tools, 'publicUrl'>, seen: Seen, token: string): SigningRecord {
  const { request, signers, fields, signer, filename } = seen;
  const person = (row: SignerRow) => ({ ...row, ...signerColumns.parse(row) });
  return {
    ...request,
    ...columns.parse(request),
    filename,
    documentUrl: `${tools.publicUrl}/v1/public/sign/${token}/document`,
    consentText: consentOf(signer, request.language),
    canSign: canAct(seen),
    signer: person(signer),
    others: signers.filter(({ id, role }) => id !== signer.id && role !== 'cc').map(person),
    fields: fields
      .filter(({ signerId }) => signerId === signer.id)
      .map((row) => ({ ...row, type: Signing.shape.fields.element.shape.type.parse(row.type) })),
  };
}

/** Whether the link still shows the document: the request is open or completed. */
export function isShown({ request }: Pick<Seen, 'request'>): boolean {
  const hasTime =
    request.status === 'completed' || request.allSignedAt !== null || request.expiresAt.getTime() > Date.now();
  return hasTime && ['sent', 'in_progress', 'completed'].includes(request.status);
}

/** Whether the person can sign or approve now. */
export function canAct(seen: Seen): boolean {
  const { signer } = seen;
  return (
    isShown(seen) &&
    isOpen(seen.request) &&
    (signer.role === 'signer' || signer.role === 'approver') &&
    turnOf(seen).some(({ id }) => id === signer.id)
  );
}

/** @throws with what prevents the person from signing or declining */
export function requireAct(seen: Seen): void {
  const { signer, request } = seen;
  if (signer.status === 'declined') throw fail('already_declined');
  if (signer.status === 'signed') throw fail('already_signed');
  if (!isShown(seen) || !isOpen(request)) throw fail('link_expired');
  if (signer.role === 'viewer' || signer.role === 'cc') throw fail('nothing_to_sign');
  if (!canAct(seen)) throw fail('not_your_turn');
}

type Acting = Inside & { emit: Emit<typeof signatureViewed | typeof signatureSigned | typeof signatureDeclined> };

/** Records that a person opened the document of a locked request for the first time. */
export async function view(tools: Tools, { tx, emit, schedule }: Acting, seen: Seen, by: Person): Promise<void> {
  const { signer } = seen;
  if (signer.status !== 'sent' || !isShown(seen) || !isOpen(seen.request)) return;
  await changeSigner(tx, signer, { status: 'viewed', viewedAt: new Date() });
  seen.request = await writeRequest(tx, seen.request.id, { status: 'in_progress' });
  await record(tx, seen.request, { type: 'viewed', signerId: signer.id, by });
  const { data, record: content } = eventOf(seen.request);
  emit(signatureViewed, { data: { ...data, signerId: signer.id }, record: content });
  if (isDone(signer)) await goOn(tools, { tx, schedule }, seen);
}

/** Continues after a signer is done: notifies the next signers, or schedules the signed document. */
export async function goOn(tools: Tools, inside: Inside, seen: WholeRequest): Promise<void> {
  const { tx, schedule } = inside;
  if (turnOf(seen).length) {
    // A signature is never refused because of the tenant's limit of messages: the next people are invited later.
    if (!(await notifyTurn(tools, inside, seen)))
      await schedule(inviteSignersJob, [{ requestId: seen.request.id }], sendAgainAt());
    return;
  }
  seen.request = await writeRequest(tx, seen.request.id, { allSignedAt: new Date() });
  await schedule(completeRequestJob, [{ requestId: seen.request.id }]);
}

/** Writes changes to a person, also to the row that was read. */
export async function changeSigner(tx: Tx, signer: SignerRow, data: Partial<SignerRow>): Promise<void> {
  await tx.signer.updateMany({ where: { id: signer.id }, data: data as never });
  Object.assign(signer, data);
}
