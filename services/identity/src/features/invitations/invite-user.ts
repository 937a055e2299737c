import { actingUserId } from '@tandem/caller';
import { type invitations, userInvited } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { checkManagesUsers, checkMayAssign } from '../../permissions.ts';
import { readTeamIds } from '../teams/members.ts';
import { checkTeamReach } from '../teams/reach.ts';
import { emailTaken, roleOfNewUser } from '../users/user.ts';
import { alreadyInvited, asInvitation, issueOffer, sendOffer } from './invitation.ts';

export const inviteUser =
  (tools: Tools): Handler<typeof invitations.inviteUser> =>
  async ({ body: { email, roleId, teamIds }, caller, tx, emit, schedule }) => {
    const inviterId = actingUserId(caller);
    const { tenantId } = caller;
    if (inviterId === undefined || tenantId === undefined) throw fail('forbidden');
    const teams = (await readTeamIds(tx, teamIds)) ?? [];
    if (roleId !== undefined) checkManagesUsers(caller, 'roleId');
    const role = await roleOfNewUser(tx, roleId);
    checkMayAssign(caller, role.permissions);
    await checkTeamReach(tx, caller, teams);
    if (await tx.user.count({ where: { email } })) throw emailTaken();
    await closeExpired(tx, email);
    const { url, hash, expiresAt } = issueOffer(tenantId, tools);
    const row = await tx.invitation
      .create({ data: { email, roleId: role.id, teamIds: teams, hash, expiresAt, invitedBy: inviterId } })
      .catch((error: unknown) => {
        throw isTaken(error) ? alreadyInvited() : error;
      });
    await sendOffer({ tx, schedule }, { email, url, expiresAt, inviterId }, tools);
    const invitation = asInvitation(row);
    emit(userInvited, { data: { invitationId: invitation.id, roleId: role.id }, record: invitation });
    return invitation;
  };

/** Closes an expired invitation of the address, which can have only one pending invitation. */
async function closeExpired(tx: Tx, email: string): Promise<void> {
  const where = { email, status: 'pending', expiresAt: { lte: new Date() } };
  await tx.invitation.updateMany({ where, data: { status: 'expired', version: { increment: 1 } } });
}
