import type { portalUsers } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { asPortalUser } from './portal-user.ts';

export const listPortalUsers: Handler<typeof portalUsers.listPortalUsers> = async ({ params, tx, list }) => {
  const { id: partnerId } = await readPartner(tx, params.id);
  const page = await list({ model: tx.portalUser, where: { partnerId }, searchIn: ['email'] });
  return { ...page, items: page.items.map(asPortalUser) };
};
