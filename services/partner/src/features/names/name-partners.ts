import { namesHandler } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { nameOf } from '../partners/partner.ts';

/** Reads names under the permission that retrieving the record needs. */
export const namePartners = namesHandler<Tx, 'partner'>({
  partner: {
    permission: 'partners:read',
    async find(tx, ids) {
      const partners = await tx.partner.findMany({ where: { id: { in: ids } } });
      return partners.map((partner) => ({ id: partner.id, name: nameOf(partner) }));
    },
  },
});
