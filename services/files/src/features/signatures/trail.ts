import { createHash, randomBytes } from 'node:crypto';
import { actingUserId, type Caller } from '@tandem/caller';
import type { SignatureEvent as EventRow, SignatureRequest as RequestRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

/** The types of events in the audit trail. */
export type TrailType =
  | 'created'
  | 'sent'
  | 'reminded'
  | 'viewed'
  | 'signed'
  | 'approved'
  | 'declined'
  | 'expired'
  | 'cancelled'
  | 'completed'
  | 'completion_failed'
  | 'provider_failed'
  | 'person_erased';

/** An entry to add. */
export interface TrailEntry {
  type: TrailType;
  signerId?: number | null;
  userId?: number | null | undefined;
  /** The person who acted. */
  by?: { ip?: string | undefined; userAgent?: string | undefined };
  /** Of the signed document, once there is one. */
  documentSha256?: string;
  details?: Record<string, string>;
}

const userAgentMax = 300;

/** Adds an entry to the audit trail of a locked request. */
export async function record(tx: Tx, request: RequestRow, entry: TrailEntry): Promise<void> {
  const { type, signerId = null, userId = null, by = {}, details = {} } = entry;
  const last = await tx.signatureEvent.findFirst({ where: { requestId: request.id }, orderBy: { number: 'desc' } });
  const ip = by.ip ?? null;
  const userAgent = by.userAgent?.slice(0, userAgentMax) ?? null;
  const salt = randomBytes(16).toString('hex');
  const row = {
    requestId: request.id,
    number: (last?.number ?? 0) + 1,
    type,
    at: new Date(),
    signerId,
    userId,
    personHash: personHash({ ip, userAgent, salt }),
    documentSha256: entry.documentSha256 ?? request.documentSha256,
    details,
    previousHash: last?.hash ?? '',
  };
  await tx.signatureEvent.create({ data: { ...row, ip, userAgent, salt, hash: hashOf(row) } });
}

/** The entries of a request in their order, and whether the chain of their hashes is unbroken. */
export async function readTrail(tx: Tx, requestId: number): Promise<{ entries: EventRow[]; isIntact: boolean }> {
  const entries = await tx.signatureEvent.findMany({ where: { requestId }, orderBy: { number: 'asc' } });
  let previousHash = '';
  const isIntact = entries.every((row, index) => {
    const isRight =
      row.number === index + 1 &&
      row.previousHash === previousHash &&
      row.hash === hashOf(row) &&
      // Without its salt the entry has lost its personal part, which was erased.
      (row.salt === null
        ? row.ip === null && row.userAgent === null
        : row.personHash === personHash({ ...row, salt: row.salt }));
    previousHash = row.hash;
    return isRight;
  });
  return { entries, isIntact };
}

type Hashed = Pick<
  EventRow,
  | 'requestId'
  | 'number'
  | 'type'
  | 'at'
  | 'signerId'
  | 'userId'
  | 'personHash'
  | 'documentSha256'
  | 'details'
  | 'previousHash'
>;

function hashOf(row: Hashed): string {
  const { requestId, number, type, at, signerId, userId, details, documentSha256, previousHash } = row;
  // The database may store the members of an object in another order.
  const facts = Object.entries(details as Record<string, string>).sort(([one], [other]) => (one < other ? -1 : 1));
  const content = [requestId, number, type, at.toISOString(), signerId, userId, row.personHash, documentSha256, facts];
  return sha256(JSON.stringify([previousHash, ...content]));
}

function personHash({ ip, userAgent, salt }: { ip: string | null; userAgent: string | null; salt: string }): string {
  return sha256(JSON.stringify([salt, ip, userAgent]));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The user of a request, as the audit trail records them. */
export function senderOf(caller: Caller) {
  return { userId: actingUserId(caller), ip: caller.ip, userAgent: caller.userAgent };
}
