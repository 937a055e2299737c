import { id, operations } from '@tandem/contract';
import { z } from 'zod';
import { Partner } from './partners.ts';

/** How many partners an export page holds at most. */
export const exportPageMax = 200;

/** All partners of the tenant by id, page by page, for services that keep a copy of them. A page after the last is empty. */
export const internalPartners = operations({
  exportPartners: {
    method: 'POST',
    path: '/internal/partners/export',
    audience: 'internal',
    summary: 'Partners with greater ids than the given one',
    body: z.object({ after: id('partner').nullable() }),
    reply: z.array(z.object({ record: Partner, isDeleted: z.boolean() })),
    message: 'Partners exported',
    emits: [],
  },
});
