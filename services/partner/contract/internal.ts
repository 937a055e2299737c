import { exportPage, operations } from '@tandem/contract';
import { Partner } from './partners.ts';

/** Exports all records of the tenant, for services that keep a copy. */
export const internalPartners = operations({
  exportPartners: {
    method: 'POST',
    path: '/internal/partners/export',
    audience: 'internal',
    summary: 'Export partners with ids greater than `after`',
    ...exportPage('partner', Partner),
    message: 'Partners exported',
    emits: [],
  },
});
