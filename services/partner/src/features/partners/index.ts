import type { internalPartners, partners } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { approvePartner } from './approve-partner.ts';
import { createPartner } from './create-partner.ts';
import { exportPartners } from './export-partners.ts';
import { getPartner } from './get-partner.ts';
import { listPartners } from './list-partners.ts';

export const partnerHandlers = {
  createPartner,
  listPartners,
  getPartner,
  approvePartner,
  exportPartners,
} satisfies Handlers<typeof partners & typeof internalPartners, Tx>;
