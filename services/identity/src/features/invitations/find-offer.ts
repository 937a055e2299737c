import type { invitations } from '@tandem/identity-contract';
import type { Context } from '@tandem/service';
import { nameOf, type Tools, type Tx } from '../../handler.ts';
import { statusOf } from './invitation.ts';

type InTenant = Context<typeof invitations.getInvitationOffer, Tx>['inTenant'];

/**
 * Finds the invitation of a link, with what the invited person may know; undefined for a link that was made up, has
 * expired or was replaced by a later one.
 */
export async function findOffer(token: string, inTenant: InTenant, { links }: Pick<Tools, 'links'>) {
  const link = links.read(token, ['invitation']);
  if (!link) return undefined;
  return inTenant({ tenantId: link.tenantId, environment: 'live' }, async ({ tx }) => {
    const invitation = await tx.invitation.findFirst({ where: { hash: link.hash } });
    if (!invitation) return undefined;
    const tenant = await tx.tenant.findFirst({ where: {} });
    const role = await tx.role.findFirst({ where: { id: invitation.roleId } });
    const inviter = await tx.user.findFirst({ where: { id: invitation.invitedBy } });
    const { email, expiresAt } = invitation;
    return {
      tenantName: tenant?.name ?? '',
      invitedBy: inviter ? nameOf(inviter) : '',
      email,
      roleName: role?.name ?? '',
      status: statusOf(invitation),
      expiresAt,
    };
  });
}
