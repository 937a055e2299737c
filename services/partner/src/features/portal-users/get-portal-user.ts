import type { portalUsers } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { asPortalUser, readPortalUser } from './portal-user.ts';

export const getPortalUser: Handler<typeof portalUsers.getPortalUser> = async ({ params, tx }) =>
  asPortalUser(await readPortalUser(tx, params));
