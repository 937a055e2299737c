import type { portalAccounts } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { sendLink } from './send-link.ts';

export const forgotPortalPassword =
  (tools: Tools): Handler<typeof portalAccounts.forgotPortalPassword> =>
  async ({ body: address, caller, inTenant }) => {
    // The link proves the address as an invitation does, so an invited user may take it instead.
    const asked = { address, purpose: 'password_reset', statuses: ['pending', 'approved'], invited: true } as const;
    await sendLink({ ...asked, caller, inTenant }, tools);
    return { accepted: true };
  };
