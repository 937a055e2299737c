import type { portalPages } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { passwordPage } from './portal-page.ts';

export const showPortalPasswordPage =
  (tools: Tools): Handler<typeof portalPages.showPortalPasswordPage> =>
  ({ query: { token }, caller, inTenant }) =>
    passwordPage({ token, purpose: 'password_reset', caller, inTenant }, tools);
