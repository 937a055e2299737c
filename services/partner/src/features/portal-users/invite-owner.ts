import type { Emit } from '@tandem/events';
import { portalUserCreated, portalUserInvited } from '@tandem/partner-contract';
import type { Tools } from '../../handler.ts';
import type { PartnerRecord } from '../partners/partner.ts';
import type { Sender } from '../portal-accounts/letters.ts';
import { type Inside, mailLimit, mailLink } from '../portal-accounts/portal-mail.ts';
import { addPortalUser } from './add-portal-user.ts';
import { asPortalUser, portalUserEvent } from './portal-user.ts';

/**
 * Invites the address of a locked partner to the portal as its owner, unless an owner has a password already.
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
  if (owners.some(({ passwordHash }) => passwordHash !== null)) return false;
  const email = partner.email.toLowerCase();
  const invited = owners.find((owner) => owner.email === email);
  const row = invited ?? (await addPortalUser(tx, { partnerId, email, role: 'owner', passwordHash: null, createdBy }));
  const user = asPortalUser(row);
  if (!invited) emit(portalUserCreated, portalUserEvent(user));
  if (!(await mailLink(inside, row, { purpose: 'invitation', sender }, tools))) throw mailLimit();
  emit(portalUserInvited, portalUserEvent(user));
  return true;
}
