import type { partners } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { approvePartner } from './approve-partner.ts';
import { createPartner } from './create-partner.ts';
import { getPartner } from './get-partner.ts';
import { listPartners } from './list-partners.ts';

export const partnerHandlers = { createPartner, listPartners, getPartner, approvePartner } satisfies Handlers<
  typeof partners,
  Tx
>;
