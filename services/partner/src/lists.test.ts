import { partner } from '@tandem/partner-contract';
import { everyList } from '@tandem/testing';
import { type Service, startPartner } from './partner.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startPartner();
});
afterAll(() => service?.close());

everyList(
  partner,
  () => service,
  {
    'listCoMarketingResources.search': 'a tenant has a few hundred resources',
    'listPortalCoMarketing.search': 'a tenant has a few hundred resources',
    'listPortalUsers.search': 'a partner has a few dozen users',
  },
  { 'partner.status': 'approved', 'partner.tier': 'bronze' },
);
