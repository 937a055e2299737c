import { crm } from '@tandem/crm-contract';
import { everyList, type TestService } from '@tandem/testing';
import { startCrm } from './crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

everyList(crm, () => service, {
  'listLeadDuplicates.status': 'PostgreSQL joins tables of this size with both leads by sorting them',
  'listStatuses.search': 'a tenant has some dozens of them',
});
