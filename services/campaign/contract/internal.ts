import { countsOpenWork, id, operations } from '@tandem/contract';
import { z } from 'zod';
import { Campaign } from './campaign.ts';
import { LandingPageSummary } from './landing-page.ts';

/** Campaigns and landing pages of the caller's tenant, for services that refer to them. */
export const internalCampaigns = operations({
  findCampaign: {
    method: 'GET',
    path: '/internal/campaigns/:id',
    audience: 'internal',
    summary: 'Retrieve the name and status of a campaign',
    params: z.object({ id: id('campaign') }),
    reply: Campaign.pick({ id: true, name: true, status: true }),
    message: 'Campaign retrieved',
  },
  findLandingPage: {
    method: 'GET',
    path: '/internal/landing-pages/:id',
    audience: 'internal',
    summary: 'Retrieve the name, slug and status of a landing page',
    params: z.object({ id: id('landing_page') }),
    reply: LandingPageSummary.pick({ id: true, name: true, slug: true, status: true }).extend({
      /** The public address of a published page. */
      url: z.url().optional(),
    }),
    message: 'Landing page retrieved',
  },
});

/** Work of people, for identity: somebody who leaves must hand it over. */
export const internalWork = operations({
  countOpenCampaignWork: countsOpenWork(['campaigns', 'workflows', 'landingPages']),
});
