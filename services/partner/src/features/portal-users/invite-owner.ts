import type { Emit } from '@tandem/events';
import { portalUserCreated, portalUserInvited } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { PortalUser } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { PartnerRecord } from '../partners/partner.ts';
import type { Sender } from '../portal-accounts/letters.ts';
import { type Inside, mailLimit, mailLink } from '../portal-accounts/portal-mail.ts';
import { addPortalUser } from './add-portal-user.ts';
import { asPortalUser, isInvited, portalUserEvent } from './portal-user.ts';

/**
 * Invites the address of a locked partner to the portal as its owner, unless an owner has a password already. The password of
 * an application whose address is not confirmed signs nobody in from now on: somebody else may have applied.
 * @returns whether it was invited
 * @throws 409 if a portal user of another partner has the address, 429 if the tenant may send no more messages today
 */
export async function inviteOwner(
  inside: Inside & { emit: Emit<typeof portalUserCreated | typeof portalUserInvited> },
  partner: PartnerRecord,
  { sender, createdBy }: { sender: Sender; createdBy: number | null },
  tools: Pick<Tools, 'mail' | 'portalLinks'>,
): Promise<boolean> {
  const { tx, emit } = inside;
  const partnerId = partner.id;
  const owners = await tx.portalUser.findMany({ where: { partnerId, role: 'owner' } });
  const email = partner.email.toLowerCase();
  const found = owners.find((owner) => owner.email === email);
  // A manager who chose the password knows the user.
  const isUnconfirmed =
    found !== undefined && !isInvited(found) && found.createdBy === null && partner.emailConfirmedAt === null;
  if (!isUnconfirmed && owners.some((owner) => !isInvited(owner))) return false;
  const invited = isUnconfirmed ? await blockPassword(tx, found) : found;
  const row = invited ?? (await addPortalUser(tx, { partnerId, email, role: 'owner', passwordHash: null, createdBy }));
  const user = asPortalUser(row);
  if (!invited) emit(portalUserCreated, portalUserEvent(user));
  if (!(await mailLink(inside, row, { purpose: 'invitation', sender }, tools))) throw mailLimit();
  emit(portalUserInvited, portalUserEvent(user));
  return true;
}

async function blockPassword(tx: Tx, { id }: PortalUser): Promise<PortalUser> {
  const [row] = await tx.portalUser.updateManyAndReturn({
    where: { id },
    data: { mustChoosePassword: true, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return row;
}
