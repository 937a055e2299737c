import { type conflictCauses, defaultAttributionDays } from '@tandem/partner-contract';
import type { Referral as ReferralRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readAppliedPlans } from '../commission-plans/applied-plans.ts';
import type { Judgement } from './referral.ts';

export type ConflictCause = (typeof conflictCauses)[number];
/** Why a touch does not get the lead. The first two are no conflict with another partner. */
export type Loss = 'same_partner' | 'void' | ConflictCause;

/** The referral that a lead has. */
export type Held = Pick<
  ReferralRow,
  'partnerId' | 'status' | 'flagReason' | 'clearedAt' | 'occurredAt' | 'lastTouchAt' | 'voidedAt'
>;

/**
 * How many days before the attribution a touch of a partner may be: as its plan for won deals says, its own or the default
 * one.
 */
export async function windowsOf(tx: Tx, partnerIds: readonly number[]): Promise<(partnerId: number) => number> {
  const where = { id: { in: [...partnerIds] } };
  const partners = await tx.partner.findMany({ where, select: { id: true, planId: true } });
  const plans = new Map(partners.map(({ id, planId }) => [id, planId]));
  const planOf = await readAppliedPlans(tx, 'opportunity.won', [...plans.values()]);
  return (partnerId) => planOf(plans.get(partnerId) ?? null)?.plan.terms.attributionDays ?? defaultAttributionDays;
}

/** Whether a referral is flagged because of a form that anybody could have sent. */
export function isUnconfirmed({ status, flagReason }: Pick<ReferralRow, 'status' | 'flagReason'>): boolean {
  return status === 'flagged' && flagReason === 'unconfirmed_form';
}

/** The referrals that hold a lead, for a query: neither void nor unconfirmed. */
export const holds = {
  OR: [
    { status: 'attributed' },
    { status: 'flagged', OR: [{ flagReason: null }, { flagReason: { not: 'unconfirmed_form' } }] },
  ],
};

interface Circumstances {
  /** The oldest time at which a touch can take over a lead. */
  since: Date;
  /** Whether a deal of the lead was won before. */
  isWon: boolean;
  /** Whether the lead comes from a registration of its partner that is protected. */
  isRegistered: boolean;
  /** Whether a person decided the touch, so that it also attributes a void referral of the same partner. */
  isDecided: boolean;
}

/**
 * The last touch wins: decides between the partner that a lead has and the touch of a partner.
 * @returns undefined if the touch gets the lead
 */
export function lossOf(
  held: Held,
  touch: Pick<ReferralRow, 'partnerId' | 'occurredAt'> & Pick<Judgement, 'flagReason'>,
  { since, isWon, isRegistered, isDecided }: Circumstances,
): Loss | undefined {
  if (held.status === 'void') {
    const isLater = held.voidedAt === null || touch.occurredAt > held.voidedAt;
    if (touch.flagReason === 'unconfirmed_form') return 'void';
    const wasUnconfirmed = held.flagReason === 'unconfirmed_form' && held.clearedAt === null;
    return isLater && (isDecided || wasUnconfirmed || held.partnerId !== touch.partnerId) ? undefined : 'void';
  }
  // Anybody can send a form, so its unconfirmed touch gives way to every other touch, also of the same partner.
  if (isUnconfirmed(held) && touch.flagReason !== 'unconfirmed_form') return undefined;
  if (held.partnerId === touch.partnerId) return 'same_partner';
  if (isRegistered) return 'deal_registered';
  if (touch.occurredAt <= (held.lastTouchAt ?? held.occurredAt)) return 'earlier_touch';
  if (touch.occurredAt < since) return 'outside_window';
  if (touch.flagReason) return touch.flagReason === 'unconfirmed_form' ? 'unconfirmed_form' : 'self_referral';
  return isWon ? 'deal_won' : undefined;
}
