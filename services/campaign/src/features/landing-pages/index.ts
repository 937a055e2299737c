import type { internalCampaigns, landingPages } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createLandingPage } from './create-landing-page.ts';
import { findLandingPage } from './find-landing-page.ts';
import { getLandingPage } from './get-landing-page.ts';
import { listLandingPages } from './list-landing-pages.ts';
import { updateLandingPage } from './update-landing-page.ts';

export const landingPageHandlers = {
  createLandingPage,
  listLandingPages,
  getLandingPage,
  updateLandingPage,
  findLandingPage,
} satisfies Handlers<typeof landingPages & Pick<typeof internalCampaigns, 'findLandingPage'>, Tx>;
