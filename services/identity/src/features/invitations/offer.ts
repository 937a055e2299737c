import type { Emit } from '@tandem/events';
import {
  invitationAccepted,
  type notificationCreated,
  type teamMembersChanged,
  userCreated,
} from '@tandem/identity-contract';
import { isTaken } from '@tandem/tenant-db';
import type { Invitation, Role, Tenant } from '../../generated/client.ts';
import { nameOf, type Tools, type Tx } from '../../handler.ts';
import { covers, mayAssign } from '../../permissions.ts';
import { notify } from '../notifications/notify.ts';
import { mayAddToTeams } from '../teams/reach.ts';
import { setTeams } from '../teams/set-teams.ts';
import { asUser, emailLookupRow, emailTaken, type UserRecord } from '../users/user.ts';
import { asInvitation, lockInvitation, statusOf, writeInvitation } from './invitation.ts';

/** An invitation that can be accepted. */
export interface Offer {
  invitation: Invitation;
  role: Role;
  tenant: Tenant;
  /** The teams of the invitation that still exist. */
  teamIds: number[];
}

interface NewUser {
  id?: number;
  firstName: string;
  lastName: string;
  passwordHash: string;
  lastLoginAt?: Date;
}

/**
 * Locks the invitation and checks that its sender could still send it: somebody who lost a role or a team must not get it
 * back by an invitation to an address of their own. Undefined if it is closed.
 */
export async function lockOffer(tx: Tx, where: { id: number } | { hash: string }): Promise<Offer | undefined> {
  const invitation = await lockInvitation(tx, where);
  if (statusOf(invitation) !== 'pending') return undefined;
  const [locked] = await tx.sql<{ id: number }>`SELECT id FROM role WHERE id = ${invitation.roleId} FOR KEY SHARE`;
  const role = locked && (await tx.role.findFirst({ where: { id: locked.id } }));
  const inviter = await tx.user.findFirst({ where: { id: invitation.invitedBy }, include: { role: true } });
  const tenant = await tx.tenant.findFirst({ where: {} });
  if (!role || inviter?.status !== 'active' || tenant?.status !== 'active') return undefined;
  const rights = inviter.role.permissions;
  if (!covers(rights, 'users:write') || !mayAssign(rights, role.permissions)) return undefined;
  const teamIds = await remainingTeams(tx, asInvitation(invitation).teamIds);
  return (await mayAddToTeams(tx, inviter, teamIds)) ? { invitation, role, tenant, teamIds } : undefined;
}

/** Creates the user of a locked invitation, whose address is proven, with the role and the teams that still exist. */
export async function acceptOffer(
  tx: Tx,
  emit: Emit<typeof userCreated | typeof teamMembersChanged | typeof invitationAccepted | typeof notificationCreated>,
  { offer: { invitation, role, tenant, teamIds }, person }: { offer: Offer; person: NewUser },
  tools: Pick<Tools, 'pepper' | 'ids'>,
): Promise<UserRecord> {
  const { email } = invitation;
  const row = await tx.user
    .create({ data: { ...person, email, roleId: role.id, emailVerifiedAt: new Date() } })
    .catch((error: unknown) => {
      throw isTaken(error) ? emailTaken() : error;
    });
  const userId = row.id;
  await tx.emailLookup.create({
    data: emailLookupRow({ email, ownerTenantId: tenant.tenantId, isProven: true }, tools.pepper),
  });
  const user = asUser(row, teamIds);
  emit(userCreated, { data: { userId, roleId: role.id }, record: user });
  await setTeams(tx, emit, { userId, before: [], after: teamIds });
  const values = { status: 'accepted', acceptedUserId: userId, endedAt: new Date() };
  const accepted = asInvitation(await writeInvitation(tx, invitation.id, values));
  emit(invitationAccepted, { data: { invitationId: accepted.id, userId }, record: accepted });
  await notifyInviter(tx, emit, { inviter: invitation.invitedBy, user }, tools);
  return user;
}

async function notifyInviter(
  tx: Tx,
  emit: Emit<typeof notificationCreated>,
  { inviter, user }: { inviter: number; user: UserRecord },
  { ids }: Pick<Tools, 'ids'>,
): Promise<void> {
  const id = ids.encode('user', user.tenantId, user.id);
  await notify(tx, emit, {
    userIds: [inviter],
    title: { en: 'Your invitation was accepted', de: 'Ihre Einladung wurde angenommen' },
    body: {
      en: `${nameOf(user)} (${user.email}) signed up.`,
      de: `${nameOf(user)} (${user.email}) hat sich registriert.`,
    },
    category: 'invitations',
    data: { type: 'user', id },
    actions: [{ id: 'open', label: { en: 'Open', de: 'Öffnen' }, type: 'url', url: `/users/${id}`, style: 'primary' }],
  });
}

async function remainingTeams(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const rows = await tx.team.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ id }) => id);
}
