import { campaign } from '@tandem/campaign-contract';
import { everyList, type TestService } from '@tandem/testing';
import { startCampaign } from './campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

everyList(campaign, () => service, {
  withoutIndex: {
    'listCampaigns.search': 'a tenant has some thousand campaigns',
    'listWorkflows.search': 'a tenant has some hundred workflows',
    'listLandingPages.search': 'a tenant has some hundred pages',
  },
});
