import type { accountPages, invitations } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { getInvitationOffer } from './get-invitation-offer.ts';
import { inviteUser } from './invite-user.ts';
import { listInvitations } from './list-invitations.ts';
import { resendInvitation } from './resend-invitation.ts';
import { revokeInvitation } from './revoke-invitation.ts';
import { showInvitationPage } from './show-invitation-page.ts';

export const invitationHandlers = (tools: Tools) =>
  ({
    inviteUser: inviteUser(tools),
    listInvitations,
    resendInvitation: resendInvitation(tools),
    revokeInvitation,
    getInvitationOffer: getInvitationOffer(tools),
    acceptInvitation: acceptInvitation(tools),
    showInvitationPage: showInvitationPage(tools),
  }) satisfies Handlers<typeof invitations & Pick<typeof accountPages, 'showInvitationPage'>, Tx>;
