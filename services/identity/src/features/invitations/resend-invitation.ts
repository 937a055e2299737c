import { actingUserId } from '@tandem/caller';
import { invitationResent, type invitations } from '@tandem/identity-contract';
import { fail, transitionError } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkMayAssign } from '../../permissions.ts';
import { checkTeamReach } from '../teams/reach.ts';
import { emailTaken } from '../users/user.ts';
import { asInvitation, issueOffer, lockInvitation, sendOffer, statusOf, writeInvitation } from './invitation.ts';

// Pressing the button twice must not send two messages.
const pauseMs = 60_000;

export const resendInvitation =
  (tools: Tools): Handler<typeof invitations.resendInvitation> =>
  async ({ params, caller, tx, emit, schedule, ifMatch }) => {
    const inviterId = actingUserId(caller);
    if (inviterId === undefined) throw fail('forbidden');
    const invitation = await lockInvitation(tx, params);
    ifMatch(invitation);
    const { id, email, tenantId, roleId } = invitation;
    const status = statusOf(invitation);
    if (status !== 'pending' && status !== 'expired') throw fail('transition_refused', [transitionError(status, [])]);
    const role = await tx.role.findFirst({ where: { id: roleId } });
    if (!role) throw fail('conflict', [{ field: 'roleId', message: 'The role was deleted; invite again' }]);
    checkMayAssign(caller, role.permissions);
    await checkTeamReach(tx, caller, asInvitation(invitation).teamIds);
    if (await tx.user.count({ where: { email } })) throw emailTaken();
    const sentMsAgo = Date.now() - invitation.sentAt.getTime();
    if (sentMsAgo < pauseMs) throw fail('too_many_links', [], { retryAfter: (pauseMs - sentMsAgo) / 1_000 });
    const { url, hash, expiresAt } = issueOffer(tenantId, tools);
    const values = { status: 'pending', hash, expiresAt, sentAt: new Date(), invitedBy: inviterId };
    const sent = asInvitation(await writeInvitation(tx, id, values));
    await sendOffer({ tx, schedule }, { email, url, expiresAt, inviterId }, tools);
    emit(invitationResent, { data: { invitationId: id }, record: sent });
    return sent;
  };
