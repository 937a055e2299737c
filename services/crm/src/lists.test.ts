import { crm } from '@tandem/crm-contract';
import { everyList, type TestService } from '@tandem/testing';
import { startCrm } from './crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

everyList(crm, () => service, {
  unsorted: {
    findLeads: 'reads the requested ids',
    exportLeads: 'reads a number of leads after an id',
    exportOpportunities: 'reads a number of opportunities after an id',
  },
  withoutIndex: { 'listStatuses.search': 'a tenant has some dozens of them' },
});
