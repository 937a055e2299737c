import type { portalAccounts } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { sendLink } from './send-link.ts';

export const requestMagicLink =
  (tools: Tools): Handler<typeof portalAccounts.requestMagicLink> =>
  async ({ body: address, caller, inTenant }) => {
    const asked = { address, purpose: 'magic_link', statuses: ['approved'], invited: false } as const;
    await sendLink({ ...asked, caller, inTenant }, tools);
    return { accepted: true };
  };
