import type { Emit } from '@tandem/events';
import {
  type invitationAccepted,
  invitationRevoked,
  type teamMembersChanged,
  userCreated,
  userLinked,
} from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { SsoConnection } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { mayAssign } from '../../permissions.ts';
import { type Account, findAccount } from '../auth/complete-sign-in.ts';
import { asInvitation, writeInvitation } from '../invitations/invitation.ts';
import { acceptOffer, lockOffer } from '../invitations/offer.ts';
import { asUser, emailLookupRow, emailTaken, isOwner } from '../users/user.ts';
import { isProven, isProvenDomain } from './connection.ts';
import { provesAddress, workspaceOf } from './issuer.ts';
import type { Person } from './provider.ts';

const nameMax = 100;
const isOfAnother =
  'Another person at the identity provider signed in to the account of this address. An administrator can change its address, or unlink that person with DELETE /v1/users/:id/sso';

type NewUserEvents =
  | typeof userCreated
  | typeof teamMembersChanged
  | typeof invitationAccepted
  | typeof invitationRevoked;

interface Input {
  connection: SsoConnection;
  person: Person;
  /** For a user who is created. */
  passwordHash: string;
}

/**
 * The user of a person: the one linked to the subject, else the one with the same verified address within a proven
 * domain, else a new one: by a pending invitation of the address, or by sign-up if the tenant allows it.
 * @throws ApiError 403 with the reason why the person may not sign in
 */
export async function findOrCreateUser(
  tx: Tx,
  emit: Emit<NewUserEvents | typeof userLinked>,
  { connection, person, passwordHash }: Input,
  tools: Tools,
): Promise<Account> {
  const { issuer } = connection;
  const { subject } = person;
  // Serializes first sign-ins, so that two of one person create one user.
  await tx.sql`SELECT tenant_id FROM sso_connection FOR NO KEY UPDATE`;
  const workspace = workspaceOf(issuer, person);
  if (workspace !== null && !(workspace !== undefined && (await isProvenDomain(tx, workspace))))
    throw fail('sso_domain_unproven');
  const linked = await tx.userIdentity.findFirst({ where: { issuer, subject } });
  if (linked) return allowed(tx, connection, linked.userId);

  if (person.email === undefined || !provesAddress(issuer, person)) throw fail('sso_email_unverified');
  const { email } = person;
  if (!(await isProven(tx, email))) throw fail('sso_domain_unproven');
  const known = await tx.user.findFirst({ where: { email }, select: { id: true } });
  // Companies give the address of somebody who left to somebody else, who must not get the account.
  if (known && (await tx.userIdentity.count({ where: { issuer, userId: known.id } })))
    throw fail('sso_not_allowed', [{ field: 'email', message: isOfAnother }]);
  const userId =
    known?.id ?? (await create(tx, emit, { connection, person: { ...person, email }, passwordHash }, tools));
  const account = await allowed(tx, connection, userId);
  await tx.userIdentity.create({ data: { issuer, subject, userId } });
  emit(userLinked, { data: { userId, issuer }, record: { id: userId } });
  return account;
}

/** The user that a person tries to sign in as: the one linked to the subject, else the one with the address. */
export async function findKnown(
  tx: Tx,
  { issuer }: Pick<SsoConnection, 'issuer'>,
  { subject, email }: Person,
): Promise<{ id: number } | undefined> {
  const linked = await tx.userIdentity.findFirst({ where: { issuer, subject } });
  if (linked) return { id: linked.userId };
  const user = email === undefined ? null : await tx.user.findFirst({ where: { email }, select: { id: true } });
  return user ?? undefined;
}

/**
 * Whoever sets up the provider can sign in as everybody it names, so it signs in only users whose role that person could
 * assign: nobody once that person is no longer active.
 */
async function allowed(tx: Tx, { configuredBy }: SsoConnection, userId: number): Promise<Account> {
  const account = await findAccount(tx, userId);
  const rights = await permissionsOf(tx, configuredBy);
  if (!account || !rights || !mayAssign(rights, account.role.permissions)) throw fail('sso_not_allowed');
  return account;
}

async function permissionsOf(tx: Tx, userId: number): Promise<readonly string[] | undefined> {
  const user = await tx.user.findFirst({ where: { id: userId, status: 'active' }, include: { role: true } });
  return user?.role.permissions;
}

async function create(
  tx: Tx,
  emit: Emit<NewUserEvents>,
  { connection, person, passwordHash }: Input & { person: Person & { email: string } },
  tools: Tools,
): Promise<number> {
  const { email } = person;
  const [local = email] = email.split('@');
  const names = {
    firstName: (person.firstName ?? local).slice(0, nameMax),
    lastName: (person.lastName ?? local).slice(0, nameMax),
  };
  const invited = await tx.invitation.findFirst({ where: { email, status: 'pending' }, select: { id: true } });
  const offer = invited && (await lockOffer(tx, invited));
  if (offer) return (await acceptOffer(tx, emit, { offer, person: { ...names, passwordHash } }, tools)).id;
  const { allowSignUp, defaultRoleId } = connection;
  const role = allowSignUp && defaultRoleId ? await tx.role.findFirst({ where: { id: defaultRoleId } }) : null;
  if (!role || isOwner(role)) throw fail('sso_no_account');
  const row = await tx.user
    .create({ data: { email, ...names, emailVerifiedAt: new Date(), passwordHash, roleId: role.id } })
    .catch((error: unknown) => {
      // Somebody created the user since; signing in again finds it.
      throw isTaken(error) ? emailTaken() : error;
    });
  if (invited) await closeInvitation(tx, emit, invited.id);
  const user = asUser(row, []);
  await tx.emailLookup.create({
    data: emailLookupRow({ email, ownerTenantId: user.tenantId, isProven: true }, tools.pepper),
  });
  emit(userCreated, { data: { userId: user.id, roleId: role.id }, record: user });
  return user.id;
}

/** An invitation that its sender could no longer send, to an address that has a user now. */
async function closeInvitation(tx: Tx, emit: Emit<NewUserEvents>, id: number): Promise<void> {
  const revoked = asInvitation(await writeInvitation(tx, id, { status: 'revoked', endedAt: new Date() }));
  emit(invitationRevoked, { data: { invitationId: id }, record: revoked });
}
