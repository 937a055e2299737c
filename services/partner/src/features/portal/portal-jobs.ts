import { id } from '@tandem/contract';
import { z } from 'zod';

/**
 * The job that ends sessions in identity: of a partner, or of one of its portal users, all or all but one. It is
 * scheduled in the transaction that ends the right to them, so that they end even if identity is down meanwhile.
 */
export const endPortalSessionsJob = {
  name: 'end-portal-sessions',
  payload: z.object({
    partnerId: id('partner'),
    portalUserId: id('portal_user').nullable(),
    exceptSessionId: id('session').nullable(),
  }),
};
