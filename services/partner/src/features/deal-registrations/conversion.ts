import type { Caller } from '@tandem/caller';
import type { Emit, Schedule } from '@tandem/events';
import { type commissionEarned, dealRegistrationConverted, type referralAttributed } from '@tandem/partner-contract';
import { currentLeads } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { creditWaiting } from '../credit-partners.ts';
import { attribute, type Touch } from '../referrals/attribute.ts';
import { lockLeads } from '../referrals/lock-leads.ts';
import { type Judgement, judge, type Person } from '../referrals/referral.ts';
import { contactReferred } from './contact-lead.ts';
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
  { opened, by }: { opened: OpenedDeal; by: { userId: number | null } | 'expiry' },
): Promise<DealRecord> {
  const { leadId, opportunityId } = opened;
  const { id, partnerId, contact, convertingAt } = deal;
  await lockLeads(tx, [leadId, ...(await currentLeads(tx, [leadId])).values()]);
  const [partner] = await tx.sql<Person & { status: string }>`
    SELECT email, first_name AS "firstName", last_name AS "lastName", status FROM partner WHERE id = ${partnerId} FOR SHARE`;
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
    createdBy: by === 'expiry' ? null : by.userId,
    createdAt: new Date(),
  };
  const touches = partner.status === 'approved' ? [touch] : [];
  const outcome = (await attribute({ tx, emit, schedule }, touches, { isDecided: true })).get(touch);
  const isLost = outcome && 'loss' in outcome && outcome.loss !== 'same_partner';
  // Another partner got the lead while the deal was opened. The end of the protection cannot wait for a decision.
  if (isLost && by !== 'expiry') throw contactReferred();
  await creditWaiting([leadId], { tx, emit, schedule });
  const converted = await writeDeal(tx, id, { status: 'converted', leadId, opportunityId });
  emit(dealRegistrationConverted, movedEvent(converted, deal.status));
  return converted;
}
