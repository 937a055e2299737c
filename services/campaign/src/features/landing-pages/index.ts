import type { internalCampaigns, landingPages } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createLandingPage } from './create-landing-page.ts';
import { findLandingPage } from './find-landing-page.ts';
import { getLandingPage } from './get-landing-page.ts';
import { listLandingPages } from './list-landing-pages.ts';
import { updateLandingPage } from './update-landing-page.ts';

export const landingPageHandlers = (tools: Pick<Tools, 'cleaner' | 'identity'>) =>
  ({
    createLandingPage: createLandingPage(tools),
    listLandingPages,
    getLandingPage,
    updateLandingPage: updateLandingPage(tools),
    findLandingPage,
  }) satisfies Handlers<typeof landingPages & Pick<typeof internalCampaigns, 'findLandingPage'>, Tx>;
