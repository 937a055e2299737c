import { crm } from '@tandem/crm-contract';
import { everyList, identityPeer, type TestService, until } from '@tandem/testing';
import { startCrm } from './crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  // Lists by amount need the currency of the tenant.
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

everyList(crm, () => service, {
  unsorted: {
    listTaskEscalations: 'a task has at most five',
    findLeads: 'reads the requested ids',
    readLeads: 'reads the requested ids',
    checkCustomFieldValues: 'returns what is refused of the requested changes',
    setPredictedScores: 'sets at most 250 scores',
    findDismissedDuplicates: 'reads the pairs of the requested leads',
    findLeadsByEmail: 'reads the leads with an address, the oldest first',
    exportAccounts: 'reads a number of accounts after an id',
    exportLeads: 'reads a number of leads after an id',
    exportOpportunities: 'reads a number of opportunities after an id',
  },
  samples: () => ({
    'listAccounts.domain': 'none.example',
    'getLeadTimeline.types': 'call,status',
    'getAccountTimeline.types': 'call,status',
  }),
  withoutIndex: {
    'listCalendarEvents.search': 'titles of private events are not searched for others',
    'listTimeOff.current': 'compares both ends with the time, and a user has few entries',
    'listStatuses.search': 'a tenant has some dozens of them',
    'listPipelines.search': 'a tenant has at most 50 of them',
    'listWinLossReasons.search': 'a tenant has at most 200 of them',
    'listWinLossReasons.active': 'a tenant has at most 200 of them',
  },
  customField: 'seats',
  async prepare(caller) {
    const api = service.as(caller);
    for (const entityType of ['lead', 'opportunity', 'account'] as const) {
      const body = { entityType, key: 'seats', label: 'Seats', type: 'number', sortable: true } as const;
      const { data } = await api.createCustomField({ body });
      await until('the field is ready', async () => {
        const { status } = (await api.getCustomField({ params: { id: data.id } })).data;
        return status === 'ready';
      });
    }
  },
  // More definitions of arbitrary types could not be read.
  recordsMax: { custom_field: 0 },
});
