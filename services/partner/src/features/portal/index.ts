import type { portal } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getPortalCoMarketing } from './get-portal-co-marketing.ts';
import { getPortalCoMarketingDownloadUrl } from './get-portal-co-marketing-download-url.ts';
import { getPortalMe } from './get-portal-me.ts';
import { listPortalCoMarketing } from './list-portal-co-marketing.ts';
import { loginToPortal } from './login-to-portal.ts';
import { logoutFromPortal } from './logout-from-portal.ts';
import { recordPortalCoMarketingUsage } from './record-portal-co-marketing-usage.ts';
import { refreshPortal } from './refresh-portal.ts';
import { updatePortalMe } from './update-portal-me.ts';

export const portalHandlers = (tools: Tools) =>
  ({
    loginToPortal: loginToPortal(tools),
    refreshPortal: refreshPortal(tools),
    logoutFromPortal: logoutFromPortal(tools),
    getPortalMe,
    updatePortalMe: updatePortalMe(tools),
    listPortalCoMarketing,
    getPortalCoMarketing,
    getPortalCoMarketingDownloadUrl: getPortalCoMarketingDownloadUrl(tools),
    recordPortalCoMarketingUsage,
  }) satisfies Handlers<typeof portal, Tx>;
