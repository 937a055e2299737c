import { commissions, dealRegistrations, partners, payouts, referrals } from '@tandem/partner-contract';
import { recordPagesHandler } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import { listCommissions } from '../commissions/list-commissions.ts';
import { listDealRegistrations } from '../deal-registrations/list-deal-registrations.ts';
import { listPayouts } from '../payouts/list-payouts.ts';
import { listReferrals } from '../referrals/list-referrals.ts';
import { listPartners } from './list-partners.ts';

/** The lists of partner that other services export. */
export const readRecordPage = (tools: Tools) =>
  recordPagesHandler([
    { row: partners.listPartners, handler: listPartners },
    { row: commissions.listCommissions, handler: listCommissions(tools) },
    { row: payouts.listPayouts, handler: listPayouts },
    { row: dealRegistrations.listDealRegistrations, handler: listDealRegistrations },
    { row: referrals.listReferrals, handler: listReferrals },
  ]);
