import {
  freeInvitationsPerDayMax,
  Invitation,
  invitationDays,
  unprovenInvitationsPerDayMax,
} from '@tandem/identity-contract';
import { renderLetter, withoutLinks } from '@tandem/mail';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import { z } from 'zod';
import type { Invitation as InvitationRow } from '../../generated/client.ts';
import { nameOf, type Tools, type Tx } from '../../handler.ts';
import { type Inside, limitMailTo, mailLimit, readerOf } from '../account/account-mail.ts';
import { invitationLetter } from './letter.ts';

export type InvitationRecord = z.output<typeof Invitation>;

const teams = z.array(z.int());
const columns = Invitation.pick({ status: true });
const dayMs = 86_400_000;

/** Converts a row to the API resource. A pending invitation expires without a change of its row. */
export function asInvitation(row: InvitationRow): InvitationRecord {
  return { ...row, status: statusOf(row), teamIds: teams.parse(row.teamIds) };
}

export function statusOf(row: Pick<InvitationRow, 'status' | 'expiresAt'>): InvitationRecord['status'] {
  const { status } = columns.parse(row);
  return status === 'pending' && row.expiresAt <= new Date() ? 'expired' : status;
}

/** Filter condition for invitations in this status. */
export function whereStatus(status: InvitationRecord['status']): object {
  const now = new Date();
  if (status === 'pending') return { status, expiresAt: { gt: now } };
  if (status === 'expired') return { OR: [{ status }, { status: 'pending', expiresAt: { lte: now } }] };
  return { status };
}

export async function lockInvitation(tx: Tx, where: { id: number } | { hash: string }): Promise<InvitationRow> {
  const row = await tx.invitation.lockFirst({ where });
  if (!row) throw fail('not_found');
  return row;
}

/** Changes an invitation. */
export async function writeInvitation(tx: Tx, id: number, values: object): Promise<InvitationRow> {
  const [row] = await tx.invitation
    .updateManyAndReturn({ where: { id }, data: { ...values, version: { increment: 1 } } })
    .catch((error: unknown) => {
      throw isTaken(error) ? alreadyInvited() : error;
    });
  if (!row) throw fail('not_found');
  return row;
}

/** Two pending invitations of one address would create two users. */
export function alreadyInvited() {
  return fail('already_invited', [{ field: 'email', message: 'Has a pending invitation' }]);
}

/** A new link to accept an invitation. */
export function issueOffer(tenantId: number, { links }: Pick<Tools, 'links'>) {
  const expiresAt = new Date(Date.now() + invitationDays * dayMs);
  return { ...links.issue({ tenantId, purpose: 'invitation', expiresAt }), expiresAt };
}

/**
 * Queues the message of an invitation.
 * @throws ApiError 429 if the address was sent ten within an hour, or if the tenant may send no more messages, or no more invitations
 */
export async function sendOffer(
  inside: Inside,
  { email, url, expiresAt, inviterId }: { email: string; url: string; expiresAt: Date; inviterId: number },
  { mail, limiter }: Pick<Tools, 'mail' | 'limiter'>,
): Promise<void> {
  const { tx } = inside;
  await limitMailTo(email, { limiter });
  const inviter = await tx.user.findFirst({ where: { id: inviterId } });
  const reader = await readerOf(tx, { firstName: '' });
  const inviterName = inviter ? withoutLinks(nameOf(inviter)) : reader.tenantName;
  await checkDailyLimit(tx, inviter?.emailVerifiedAt ?? null);
  const content = renderLetter(invitationLetter(reader, { url, expiresAt, inviterName }));
  const message = { kind: 'account' as const, to: email, template: 'invitation', content, notAfter: expiresAt };
  if (!(await mail(inside, [message]))) throw mailLimit();
}

/**
 * Limits invitations of senders without a proven address, and of tenants on Free. Sign-up is open to everybody, and invitations carry text of the
 * tenant to any address, so they could be used for junk mail.
 */
async function checkDailyLimit(tx: Tx, provenAt: Date | null): Promise<void> {
  // The lock serializes invitations of the tenant, so that two do not pass together.
  const [tenant] = await tx.sql<{ plan: string }>`SELECT plan FROM tenant FOR NO KEY UPDATE`;
  const max = provenAt === null ? unprovenInvitationsPerDayMax : freeInvitationsPerDayMax;
  if (provenAt !== null && tenant?.plan !== 'free') return;
  // The message that has to be a day old before another one can be sent.
  const [last] = await tx.sql<{ createdAt: Date }>`SELECT created_at AS "createdAt" FROM platform.mail
    WHERE kind = 'account' AND template = 'invitation' AND created_at > now() - interval '1 day'
    ORDER BY created_at DESC OFFSET ${max - 1}::int LIMIT 1`;
  if (!last) return;
  throw fail('invitation_limit', [], { retryAfter: (last.createdAt.getTime() + dayMs - Date.now()) / 1_000 });
}
