import type { dealRegistrations } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readDeal } from './deal-registration.ts';
import { findConflicts } from './protection.ts';

export const getDealRegistration: Handler<typeof dealRegistrations.getDealRegistration> = async ({ params, tx }) => {
  const deal = await readDeal(tx, { id: params.id });
  return { ...deal, conflictingIds: await findConflicts(tx, deal) };
};
