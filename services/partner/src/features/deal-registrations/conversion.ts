import type { Caller } from '@tandem/caller';
import type { Emit, Schedule } from '@tandem/events';
import { type commissionEarned, dealRegistrationConverted, type referralAttributed } from '@tandem/partner-contract';
import { currentLeads } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { creditWaiting } from '../credit-partners.ts';
import { attribute, type Touch } from '../referrals/attribute.ts';
import { lockLeads } from '../referrals/lock-leads.ts';
import { type Judgement, judge, type Person } from '../referrals/referral.ts';
import { type DealRecord, movedEvent, type StoredDeal, writeDeal } from './deal-registration.ts';

/** The lead and the opportunity of a registration in crm. */
export interface OpenedDeal {
  leadId: number;
  opportunityId: number;
}

/** Creates the lead and the opportunity in crm, or returns those that an interrupted conversion has created. */
export function openDeal(
  { crm }: Pick<Peers, 'crm'>,
  { id, partnerId, contact, company, value, currency, expectedCloseAt, notes }: DealRecord,
  { as, ownerId }: { as: Omit<Caller, 'type' | 'permissions' | 'features'>; ownerId?: number | null | undefined },
): Promise<OpenedDeal> {
  const deal = { name: company, value, currency, expectedCloseAt, notes };
  const body = { dealRegistrationId: id, partnerId, contact, deal, ...(ownerId !== undefined && { ownerId }) };
  return crm.openRegisteredDeal({ body, as });
}

interface Inside {
  tx: Tx;
  emit: Emit<typeof dealRegistrationConverted | typeof referralAttributed | typeof commissionEarned>;
  schedule: Schedule;
}

/**
 * Attributes the lead of a locked registration to its partner. The deal may have been won since, if the conversion was
 * interrupted: it earns, because the lead is attributed from the beginning of the conversion on.
 */
export async function finishConversion(
  { tx, emit, schedule }: Inside,
  deal: StoredDeal,
  { opened: { leadId, opportunityId }, createdBy }: { opened: OpenedDeal; createdBy: number | null },
): Promise<DealRecord> {
  const { id, partnerId, contact, convertingAt } = deal;
  await lockLeads(tx, [leadId, ...(await currentLeads(tx, [leadId])).values()]);
  const [partner] = await tx.sql<Person>`
    SELECT email, first_name AS "firstName", last_name AS "lastName" FROM partner WHERE id = ${partnerId} FOR SHARE`;
  if (!partner) throw new Error('A registration has a partner');
  const [judgement] = await judge(tx, [{ lead: contact, partner: { ...partner, partnerId } }]);
  const touch: Touch = {
    ...(judgement as Judgement),
    partnerId,
    leadId,
    code: null,
    clickId: null,
    source: 'manual',
    occurredAt: convertingAt ?? new Date(),
    externalId: null,
    createdBy,
    createdAt: new Date(),
  };
  await attribute({ tx, emit, schedule }, [touch], { isDecided: true });
  await creditWaiting([leadId], { tx, emit, schedule });
  const converted = await writeDeal(tx, id, { status: 'converted', leadId, opportunityId });
  emit(dealRegistrationConverted, movedEvent(converted, deal.status));
  return converted;
}
