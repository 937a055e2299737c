import type { portalUsers } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createPortalUser } from './create-portal-user.ts';
import { deletePortalUser } from './delete-portal-user.ts';
import { getPortalUser } from './get-portal-user.ts';
import { invitePortalUser } from './invite-portal-user.ts';
import { listPortalUsers } from './list-portal-users.ts';
import { updatePortalUser } from './update-portal-user.ts';

export const portalUserHandlers = (tools: Tools) =>
  ({
    createPortalUser: createPortalUser(tools),
    listPortalUsers,
    getPortalUser,
    updatePortalUser,
    deletePortalUser,
    invitePortalUser: invitePortalUser(tools),
  }) satisfies Handlers<typeof portalUsers, Tx>;
