import type { portalDealRegistrations } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readOwnDeal } from './own-deal.ts';

export const getPortalDealRegistration: Handler<typeof portalDealRegistrations.getPortalDealRegistration> = ({
  params,
  caller,
  tx,
}) => readOwnDeal(tx, caller, params.id);
