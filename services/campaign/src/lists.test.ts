import { campaign } from '@tandem/campaign-contract';
import { everyList, type TestService } from '@tandem/testing';
import { startCampaign } from './campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

everyList(campaign, () => service, {
  unsorted: { listWorkflowVersions: 'returns the newest versions' },
  withoutIndex: {
    'listCampaigns.search': 'a tenant has some thousand campaigns',
    'listWorkflows.search': 'a tenant has some hundred workflows',
    'listLandingPages.search': 'a tenant has some hundred pages',
    'listSegments.search': 'a tenant has some hundred segments',
    'listTemplates.search': 'a tenant has some hundred templates',
    'listTopics.search': 'a tenant has at most 100 topics',
    'listSenders.search': 'a tenant has at most 200 senders',
    'listSendingDomains.search': 'a tenant has at most 50 sending domains',
    'listPageDomains.search': 'a tenant has at most 50 page domains',
    'listForms.search': 'a tenant has some hundred forms',
  },
});
