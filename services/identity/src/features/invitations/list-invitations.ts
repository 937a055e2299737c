import type { invitations } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asInvitation, whereStatus } from './invitation.ts';

export const listInvitations: Handler<typeof invitations.listInvitations> = async ({ query, tx, list }) => {
  const page = await list({
    model: tx.invitation,
    where: { ...(query.status && whereStatus(query.status)) },
    searchIn: ['email'],
  });
  return { ...page, items: page.items.map(asInvitation) };
};
