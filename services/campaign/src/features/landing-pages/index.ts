import type { internalCampaigns, landingPages } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { archiveLandingPage } from './archive-landing-page.ts';
import { createLandingPage } from './create-landing-page.ts';
import { deleteLandingPage } from './delete-landing-page.ts';
import { duplicateLandingPage } from './duplicate-landing-page.ts';
import { findLandingPage } from './find-landing-page.ts';
import { getLandingPage } from './get-landing-page.ts';
import { getLandingPageVersion } from './get-landing-page-version.ts';
import type { PageTools } from './landing-page.ts';
import { listLandingPageVersions } from './list-landing-page-versions.ts';
import { listLandingPages } from './list-landing-pages.ts';
import { publishLandingPage } from './publish-landing-page.ts';
import { unpublishLandingPage } from './unpublish-landing-page.ts';
import { updateLandingPage } from './update-landing-page.ts';

export const landingPageHandlers = (tools: PageTools) =>
  ({
    createLandingPage: createLandingPage(tools),
    listLandingPages: listLandingPages(tools),
    getLandingPage: getLandingPage(tools),
    updateLandingPage: updateLandingPage(tools),
    deleteLandingPage,
    publishLandingPage: publishLandingPage(tools),
    unpublishLandingPage: unpublishLandingPage(tools),
    archiveLandingPage: archiveLandingPage(tools),
    duplicateLandingPage: duplicateLandingPage(tools),
    listLandingPageVersions,
    getLandingPageVersion,
    findLandingPage: findLandingPage(tools),
  }) satisfies Handlers<typeof landingPages & Pick<typeof internalCampaigns, 'findLandingPage'>, Tx>;
