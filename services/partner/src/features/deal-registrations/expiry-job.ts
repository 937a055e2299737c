import { id, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** The job that ends the protection of a registration at its time. */
export const expireDealRegistrationJob = {
  name: 'expire-deal-registration',
  payload: z.object({ dealRegistrationId: id('deal_registration'), protectedUntil: timestamp() }),
};
