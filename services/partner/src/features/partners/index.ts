import type {
  internalApplicationCounts,
  internalPartnerLookup,
  internalPartners,
  partners,
} from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { approvePartner } from './approve-partner.ts';
import { countPartnerApplications } from './count-partner-applications.ts';
import { createPartner } from './create-partner.ts';
import { exportPartners } from './export-partners.ts';
import { findPartner } from './find-partner.ts';
import { findPartners } from './find-partners.ts';
import { getPartner } from './get-partner.ts';
import { listPartners } from './list-partners.ts';
import { updatePartner } from './update-partner.ts';

export const partnerHandlers = (tools: Tools) =>
  ({
    createPartner: createPartner(tools),
    listPartners,
    getPartner: getPartner(tools),
    updatePartner,
    approvePartner,
    exportPartners,
    findPartner,
    findPartners,
    countPartnerApplications,
  }) satisfies Handlers<
    typeof partners & typeof internalPartners & typeof internalPartnerLookup & typeof internalApplicationCounts,
    Tx
  >;
