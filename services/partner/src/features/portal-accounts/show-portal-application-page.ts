import type { portalPages } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { applicationPage } from './portal-page.ts';

export const showPortalApplicationPage =
  (tools: Tools): Handler<typeof portalPages.showPortalApplicationPage> =>
  ({ query: { token }, caller, inTenant }) =>
    applicationPage({ token, purpose: 'application', caller, inTenant }, tools);
