import type { portalUsers } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createPortalUser } from './create-portal-user.ts';
import { listPortalUsers } from './list-portal-users.ts';

export const portalUserHandlers = { createPortalUser, listPortalUsers } satisfies Handlers<typeof portalUsers, Tx>;
