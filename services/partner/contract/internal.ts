import { id, operations } from '@tandem/contract';
import { z } from 'zod';
import { Partner } from './partners.ts';

/** Maximum number of partners on an export page. */
export const exportPageMax = 200;

/**
 * Exports all partners of the tenant in the order of their ids, for services that keep a copy. An empty page means that
 * there are no more partners.
 */
export const internalPartners = operations({
  exportPartners: {
    method: 'POST',
    path: '/internal/partners/export',
    audience: 'internal',
    summary: 'Export partners with ids greater than `after`',
    body: z.object({ after: id('partner').nullable() }),
    reply: z.array(z.object({ record: Partner, isDeleted: z.boolean() })),
    message: 'Partners exported',
    emits: [],
  },
});
