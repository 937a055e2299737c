import type { Emit } from '@tandem/events';
import { type dealRegistrations, dealRegistrationUpdated, type writableDeal } from '@tandem/partner-contract';
import { diff } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { dealColumns, withPhone } from './deal-columns.ts';
import { checkDraft, type DealRecord, dealEvent, lockDeal, type StoredDeal, writeDeal } from './deal-registration.ts';

export const updateDealRegistration: Handler<typeof dealRegistrations.updateDealRegistration> = async (context) => {
  const { params, body, tx, ifMatch } = context;
  const deal = await lockDeal(tx, { id: params.id });
  ifMatch(deal);
  return updateDeal(context, deal, body);
};

/** Changes the given fields of a locked draft. */
export async function updateDeal(
  { tx, emit }: { tx: Tx; emit: Emit<typeof dealRegistrationUpdated> },
  deal: StoredDeal,
  body: Partial<z.output<typeof writableDeal>>,
): Promise<DealRecord> {
  checkDraft(deal);
  const { isEmpty, values, audit } = diff(deal, withPhone(body));
  if (isEmpty) return deal;
  const updated = await writeDeal(tx, deal.id, dealColumns({ ...deal, ...values }));
  emit(dealRegistrationUpdated, { ...dealEvent(updated), changes: audit });
  return updated;
}
