import { invitationRevoked, type invitations } from '@tandem/identity-contract';
import { fail, transitionError } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asInvitation, lockInvitation, statusOf, writeInvitation } from './invitation.ts';

export const revokeInvitation: Handler<typeof invitations.revokeInvitation> = async ({ params, tx, emit, ifMatch }) => {
  const invitation = await lockInvitation(tx, params);
  ifMatch(invitation);
  const status = statusOf(invitation);
  if (status === 'revoked') return asInvitation(invitation);
  if (status === 'accepted') throw fail('transition_refused', [transitionError(status, [])]);
  const values = { status: 'revoked', endedAt: new Date() };
  const revoked = asInvitation(await writeInvitation(tx, invitation.id, values));
  emit(invitationRevoked, { data: { invitationId: invitation.id }, record: revoked });
  return revoked;
};
