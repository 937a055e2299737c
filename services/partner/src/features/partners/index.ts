import type { recordPages } from '@tandem/contract';
import type {
  internalApplicationCounts,
  internalPartnerLookup,
  internalPartners,
  partnerLife,
  partners,
} from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { approvePartner } from './approve-partner.ts';
import { countPartnerApplications } from './count-partner-applications.ts';
import { createPartner } from './create-partner.ts';
import { deletePartner } from './delete-partner.ts';
import { exportPartners } from './export-partners.ts';
import { findPartner } from './find-partner.ts';
import { findPartners } from './find-partners.ts';
import { getPartner } from './get-partner.ts';
import { listPartners } from './list-partners.ts';
import { reactivatePartner } from './reactivate-partner.ts';
import { readRecordPage } from './read-record-page.ts';
import { reapplyPartner } from './reapply-partner.ts';
import { rejectPartner } from './reject-partner.ts';
import { suspendPartner } from './suspend-partner.ts';
import { terminatePartner } from './terminate-partner.ts';
import { updatePartner } from './update-partner.ts';

const lifeHandlers = (tools: Tools) =>
  ({
    rejectPartner: rejectPartner(tools),
    reapplyPartner: reapplyPartner(tools),
    suspendPartner,
    reactivatePartner,
    terminatePartner,
    deletePartner,
  }) satisfies Handlers<typeof partnerLife, Tx>;

export const partnerHandlers = (tools: Tools) =>
  ({
    createPartner: createPartner(tools),
    listPartners,
    getPartner: getPartner(tools),
    updatePartner,
    approvePartner: approvePartner(tools),
    ...lifeHandlers(tools),
    exportPartners,
    findPartner,
    findPartners,
    readRecordPage: readRecordPage(tools),
    countPartnerApplications,
  }) satisfies Handlers<
    typeof partners &
      typeof recordPages &
      typeof internalPartners &
      typeof internalPartnerLookup &
      typeof internalApplicationCounts,
    Tx
  >;
