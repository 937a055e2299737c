import { PortalUser } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { PortalUser as PortalUserRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type PortalUserRecord = z.output<typeof PortalUser>;

const columns = PortalUser.pick({ role: true });

type Password = Pick<PortalUserRow, 'passwordHash' | 'mustChoosePassword'>;

/** Whether a user needs a link to choose a password before anybody can sign in. */
export function isInvited({ passwordHash, mustChoosePassword }: Password): boolean {
  return passwordHash === null || mustChoosePassword;
}

/** The users who are not invited. */
export const withPassword = { passwordHash: { not: null }, mustChoosePassword: false } as const;

/** Converts a row to the contract's `PortalUser`, without the password hash. */
export function asPortalUser({ passwordHash, mustChoosePassword, ...row }: PortalUserRow): PortalUserRecord {
  const status = isInvited({ passwordHash, mustChoosePassword }) ? 'invited' : 'active';
  return { ...row, ...columns.parse(row), status };
}

/** The data and record of an event of a portal user. */
export function portalUserEvent(user: PortalUserRecord) {
  return { data: { portalUserId: user.id, partnerId: user.partnerId }, record: user };
}

type Path = { id: number; uid: number };

/** Loads a portal user of a partner; 404 if there is none. */
export async function readPortalUser(tx: Tx, { id: partnerId, uid }: Path): Promise<PortalUserRow> {
  const row = await tx.portalUser.findFirst({ where: { id: uid, partnerId } });
  if (!row) throw fail('not_found');
  return row;
}

/**
 * Loads a portal user with a row lock, after that of the partner: changes of the owners of a partner happen one at a time,
 * so that two of them cannot remove the last two.
 */
export async function lockPortalUser(tx: Tx, { id: partnerId, uid }: Path): Promise<PortalUserRow> {
  await tx.partner.lockFirst({ where: { id: partnerId }, sharesKey: true });
  const row = await tx.portalUser.lockFirst({ where: { id: uid, partnerId }, sharesKey: true });
  if (!row) throw fail('not_found');
  return row;
}

/**
 * Checks that a partner keeps an owner when a locked user is deleted or gets another role. Beside an owner with a password,
 * only others with a password count.
 * @throws 409 without one
 */
export async function checkOtherOwner(tx: Tx, user: PortalUserRow): Promise<void> {
  const { id, partnerId, role } = user;
  if (role !== 'owner') return;
  const active = isInvited(user) ? {} : withPassword;
  const other = await tx.portalUser.findFirst({
    where: { partnerId, role: 'owner', id: { not: id }, ...active },
    select: { id: true },
  });
  if (!other) throw fail('last_owner', [{ field: 'role', message: 'Is the last owner of the partner' }]);
}
