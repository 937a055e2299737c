import type { publicPages } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getPublicPage } from './get-public-page.ts';
import type { PublicTools } from './published-page.ts';
import { showDomainHome } from './show-domain-home.ts';
import { showDomainPage } from './show-domain-page.ts';
import { showLandingPage } from './show-landing-page.ts';

export const publicPageHandlers = (tools: PublicTools) =>
  ({
    getPublicPage: getPublicPage(tools),
    showLandingPage: showLandingPage(tools),
    showDomainHome: showDomainHome(tools),
    showDomainPage: showDomainPage(tools),
  }) satisfies Handlers<typeof publicPages, Tx>;
