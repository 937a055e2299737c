import type { portalPages } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { passwordPage } from './portal-page.ts';

export const showPortalInvitationPage =
  (tools: Tools): Handler<typeof portalPages.showPortalInvitationPage> =>
  ({ query: { token }, caller, inTenant }) =>
    passwordPage({ token, purpose: 'invitation', caller, inTenant }, tools);
