import { z } from 'zod';
import { id } from './id.ts';
import { includesOf } from './names.ts';
import { operations } from './operation.ts';

const rows = operations({
  listMembers: {
    method: 'GET',
    path: '/v1/members',
    permission: 'leads:read',
    summary: 'List the members',
    query: z.object({ after: id('lead').optional() }),
    reply: z.object({ leads: z.array(z.object({ id: id('lead') })), next: id('lead').nullable() }),
    message: 'Members retrieved',
  },
});

it('offers the records of a reply, and not the id at which the next page begins', () => {
  expect([...includesOf(rows.listMembers).keys()]).toEqual(['leads']);
});
