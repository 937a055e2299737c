import type { Caller } from '@tandem/caller';
import { newOpportunityColumns } from '../opportunities/new-opportunity.ts';
import { newLeadColumns } from './new-lead.ts';

const caller = { tenantId: 1, environment: 'live', requestId: 'r', permissions: [] } as unknown as Caller;
const custom = { columns: {}, keys: [], uniqueIds: [] };

it('gives leads the same columns whatever optional fields they have, so that one statement inserts them', () => {
  const decided = {
    caller,
    assignee: undefined,
    status: { status: 'new' as const, statusCode: 'new' },
    custom,
    accountId: null,
  };
  const least = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };
  const optional = { phone: '+441', source: 'web', score: 1, assignedTo: 1, tags: ['a'], externalId: 'x' } as const;
  const most = { ...least, ...optional, referralCode: 'ABCD', timezone: 'Europe/Berlin', accountId: 1 };
  const columnsOf = (body: typeof least) => Object.keys(newLeadColumns(body, decided)).sort();
  expect(columnsOf(least)).toEqual(columnsOf(most));
});

it('gives opportunities the same columns whatever optional fields they have', () => {
  const stage = { id: 1, pipelineId: 1, code: 'a', defaultProbability: 0 } as never;
  const least = { name: 'Engines', currency: 'EUR', teamId: null, accountId: null, partnerId: null };
  const optional = { leadId: 1, forecastCategory: 'commit', notes: 'x', ownerId: 1 } as const;
  const most = { ...least, ...optional, expectedCloseAt: new Date(), value: 1, probability: 1 };
  const columnsOf = (body: typeof least) => Object.keys(newOpportunityColumns(body, { caller, stage, custom })).sort();
  expect(columnsOf(least)).toEqual(columnsOf(most));
});
