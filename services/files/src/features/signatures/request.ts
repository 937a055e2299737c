import {
  SignatureField,
  SignatureRequest,
  SignatureStatus,
  Signer,
  SignerRole,
  SignerStatus,
  signatureStates,
} from '@tandem/files-contract';
import { fail, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { SignatureRequest as RequestRow, Signer as SignerRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { WholeRequest } from './whole-request.ts';

export type RequestRecord = z.output<typeof SignatureRequest>;
type Status = z.output<typeof SignatureStatus>;

const columns = SignatureRequest.pick({ status: true, provider: true, signingOrder: true, problem: true });
const signerColumns = Signer.pick({ role: true, status: true });
const fieldColumns = SignatureField.pick({ type: true });

/**
 * Converts rows to the contract's `SignatureRequest`.
 * @param urls links that were just issued in the sandbox, by the id of the signer
 */
export function asRequest(
  { request, signers, fields }: WholeRequest,
  urls: ReadonlyMap<number, string> = new Map(),
): RequestRecord {
  const checked = columns.parse(request);
  return {
    ...request,
    ...checked,
    allowedTransitions: signatureStates.next(checked.status),
    signers: signers.map((row) => ({ ...row, ...signerColumns.parse(row), signingUrl: urls.get(row.id) ?? null })),
    fields: fields.map((row) => ({ ...row, ...fieldColumns.parse(row) })),
  };
}

/** The content of events of a request. */
export function eventOf(request: RequestRow) {
  const { status, provider } = columns.parse(request);
  return {
    data: { signatureRequestId: request.id, fileId: request.fileId, status },
    record: { ...request, status, provider },
  };
}

/** Finds a request of a file that is not deleted. */
export async function findRequest(tx: Tx, id: number): Promise<WholeRequest> {
  const request = await tx.signatureRequest.findFirst({ where: { id, file: { deletedAt: null } } });
  if (!request) throw fail('not_found');
  return { request, ...(await peopleAndFields(tx, [id])) };
}

/** Finds and locks a request, so that one change at a time is made to it and its people. */
export async function lockRequest(tx: Tx, id: number): Promise<WholeRequest> {
  const request = await tx.signatureRequest.lockFirst({ where: { id } });
  if (!request || !(await tx.file.count({ where: { id: request.fileId, deletedAt: null } }))) throw fail('not_found');
  return { request, ...(await peopleAndFields(tx, [id])) };
}

export async function peopleAndFields(tx: Tx, requestIds: number[]): Promise<Omit<WholeRequest, 'request'>> {
  const where = { requestId: { in: requestIds } };
  const [signers, fields] = await Promise.all([
    tx.signer.findMany({ where, orderBy: [{ requestId: 'asc' }, { position: 'asc' }] }),
    tx.signatureField.findMany({ where, orderBy: [{ requestId: 'asc' }, { id: 'asc' }] }),
  ]);
  return { signers, fields };
}

/** Writes changes to a locked request as its next version. */
export async function writeRequest(
  tx: Tx,
  id: number,
  data: Parameters<Tx['signatureRequest']['updateManyAndReturn']>[0]['data'],
): Promise<RequestRow> {
  const [row] = await tx.signatureRequest.updateManyAndReturn({
    where: { id },
    data: { ...data, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return row;
}

/** @throws 409 when a caller cannot change the request to this status */
export function requireTransition({ status }: Pick<RequestRow, 'status'>, to: Status): void {
  const allowed = signatureStates.next(SignatureStatus.parse(status));
  if (!allowed.includes(to)) throw fail('transition_refused', [transitionError(status, allowed)]);
}

/** Whether people can still act: it was sent, and not everybody has acted. */
export function isOpen({ status, allSignedAt }: Pick<RequestRow, 'status' | 'allSignedAt'>): boolean {
  return (status === 'sent' || status === 'in_progress') && allSignedAt === null;
}

/** Whether the request expired although its provider may still have a document that everybody signed in time. */
export function isExpired({ status, allSignedAt }: Pick<RequestRow, 'status' | 'allSignedAt'>): boolean {
  return status === 'expired' && allSignedAt === null;
}

/**
 * Whether everybody has acted, and the signed document is not stored yet. An expired request waits for it when its provider
 * reported the end late.
 */
export function isWaitingForDocument({ status, allSignedAt }: Pick<RequestRow, 'status' | 'allSignedAt'>): boolean {
  return (status === 'sent' || status === 'in_progress' || status === 'expired') && allSignedAt !== null;
}

/** Whether a person has nothing to do any more. */
export function isDone({ role, status }: Pick<SignerRow, 'role' | 'status'>): boolean {
  return (
    status === SignerStatus.enum.signed || (role === SignerRole.enum.viewer && status === SignerStatus.enum.viewed)
  );
}

/** Those who can act now: everybody who has not, or in a sequential order those who come next. */
export function turnOf({ request, signers }: Pick<WholeRequest, 'request' | 'signers'>): SignerRow[] {
  const waiting = signers.filter((one) => one.role !== SignerRole.enum.cc && !isDone(one));
  if (request.signingOrder === 'parallel') return waiting;
  const next = Math.min(...waiting.map(({ order }) => order));
  return waiting.filter(({ order }) => order === next);
}

/** Whether people are signing a file, or one version of it. */
export async function hasOpenRequest(tx: Tx, fileId: number, versionId?: number): Promise<boolean> {
  const where = { fileId, status: { in: ['sent', 'in_progress'] }, ...(versionId !== undefined && { versionId }) };
  return (await tx.signatureRequest.findFirst({ where, select: { id: true } })) !== null;
}

/**
 * Refuses to remove what people are signing. The file is locked, as it is when a request is sent.
 * @param versionId only requests for this version; by default for any version of the file
 * @throws 409 while a request is open
 */
export async function checkNoOpenRequest(tx: Tx, fileId: number, versionId?: number): Promise<void> {
  if (await hasOpenRequest(tx, fileId, versionId)) throw fail('signature_request_open');
}
