import type { portalPages } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { signInPage } from './portal-page.ts';

export const showPortalSignInPage =
  (tools: Tools): Handler<typeof portalPages.showPortalSignInPage> =>
  ({ query: { token }, caller, inTenant }) =>
    signInPage({ token, purpose: 'magic_link', caller, inTenant }, tools);
