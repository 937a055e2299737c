import { fragment } from '@tandem/tenant-db';

/** Whether a row of `partner` gets no payment: it is suspended, or has forfeited what it had not been paid. */
export const unpayable = fragment`(partner.status = 'suspended' OR (partner.status = 'terminated' AND partner.unpaid = 'forfeit'))`;
