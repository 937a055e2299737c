import type { portalData } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createPortalLead } from './create-portal-lead.ts';
import { getPortalDashboard } from './get-portal-dashboard.ts';
import { listPortalCommissions } from './list-portal-commissions.ts';
import { listPortalDownline } from './list-portal-downline.ts';
import { listPortalLeads } from './list-portal-leads.ts';
import { listPortalOpportunities } from './list-portal-opportunities.ts';
import { listPortalReferralCodes } from './list-portal-referral-codes.ts';
import { listPortalStatements } from './list-portal-statements.ts';

export const portalDataHandlers = (tools: Tools) =>
  ({
    getPortalDashboard: getPortalDashboard(tools),
    listPortalLeads: listPortalLeads(tools),
    createPortalLead: createPortalLead(tools),
    listPortalOpportunities: listPortalOpportunities(tools),
    listPortalReferralCodes: listPortalReferralCodes(tools),
    listPortalCommissions: listPortalCommissions(tools),
    listPortalStatements: listPortalStatements(tools),
    listPortalDownline,
  }) satisfies Handlers<typeof portalData, Tx>;
