import { exportPage, operations } from '@tandem/contract';
import { Partner } from './partners.ts';

/** All partners of the tenant, for services that keep a copy of them. */
export const internalPartners = operations({
  exportPartners: {
    method: 'POST',
    path: '/internal/partners/export',
    audience: 'internal',
    summary: 'Partners with greater ids than the given one',
    ...exportPage('partner', Partner),
    message: 'Partners exported',
    emits: [],
  },
});
