import { actingUserId } from '@tandem/caller';
import type { referrals } from '@tandem/partner-contract';
import { currentLeads, fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Referral as ReferralRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { creditWaiting } from '../credit-partners.ts';
import { unusable } from '../referral-codes/code.ts';
import { lockUses } from '../referral-codes/lock-uses.ts';
import { attribute, type Outcome, type Touch } from './attribute.ts';
import { checkLeadFields, type FoundLead, findLead } from './lead-of-request.ts';
import { lockLeads } from './lock-leads.ts';
import { asReferral, type Judgement, judge } from './referral.ts';
import { findTouch, lockApprovedPartner, type ReferralInput } from './touch-of-request.ts';

type Row = typeof referrals.createReferral;

export const createReferral = (tools: Tools): Handler<Row, FoundLead | undefined> => ({
  async check({ body, caller, tx }) {
    if (await findByExternalId(tx, body.externalId)) return undefined;
    checkLeadFields(body);
    if (body.lead) await checkPartner(tx, body);
    return findLead(body, caller, tools);
  },
  async run({ body, found: lead, caller, tx, emit, schedule, wasThere }) {
    const { externalId = null } = body;
    // Repeated requests wait for the first one.
    if (externalId) await lockNamed(tx, 'referral_external_id', [externalId]);
    const existing = await findByExternalId(tx, externalId);
    if (existing) {
      wasThere();
      return asReferral(existing);
    }
    // Unreachable: `check` found a referral, and referrals are never deleted.
    if (!lead) throw fail('not_found');
    const now = new Date();
    const { field, ...requested } = await findTouch(tx, body, now);
    await lockLeads(tx, [lead.id, ...(await currentLeads(tx, [lead.id])).values()]);
    const partner = await lockApprovedPartner(tx, requested.partnerId, field);
    const [judgement] = await judge(tx, [{ lead, partner: { ...partner, partnerId: requested.partnerId } }]);
    const touch: Touch = {
      ...requested,
      leadId: lead.id,
      ...(judgement as Judgement),
      externalId,
      createdBy: actingUserId(caller) ?? null,
      createdAt: now,
    };
    const referral = referralOf((await attribute({ tx, emit, schedule }, [touch])).get(touch), field);
    if (referral.status === 'attributed') await creditWaiting([referral.leadId], { tx, emit, schedule });
    return asReferral(referral);
  },
});

/** @throws 409 if the touch attributed nothing; the attempt is stored nevertheless */
function referralOf(outcome: Outcome | undefined, field: string): ReferralRow {
  if (outcome && 'referral' in outcome) return outcome.referral;
  if (outcome && 'unusable' in outcome) throw fail('code_not_usable', [{ field, message: outcome.unusable }]);
  const message = messages[outcome?.loss ?? 'same_partner'];
  throw fail('already_referred', [{ field: 'leadId', message }], { keepsWrites: true });
}

const messages = {
  same_partner: 'The lead is already referred by this partner',
  void: 'The referral of the lead is void; only a later touch of another partner attributes it again',
  later_touch: 'The lead is already referred by a partner',
  reassigned: 'The lead is already referred by a partner',
  earlier_touch: 'Another partner has referred the lead later',
  outside_window: 'The lead is already referred by a partner, and occurredAt is too long ago to take it over',
  self_referral: 'The lead is already referred by another partner, and seems to be this partner',
  unconfirmed_form: 'The lead is already referred by a partner',
  deal_registered: 'Another partner has registered the deal of the lead, and its registration is protected',
  deal_won: 'The lead is already referred by a partner, and a deal of the lead was won',
};

/** Before a lead is created: whether the partner can refer one. */
async function checkPartner(tx: Tx, body: ReferralInput): Promise<void> {
  const { partnerId, code, field, occurredAt } = await findTouch(tx, body, new Date());
  await lockApprovedPartner(tx, partnerId, field);
  const use = code === null ? undefined : (await lockUses(tx, [code])).get(code);
  const message = use && unusable(use.row, use.uses, occurredAt);
  if (message) throw fail('code_not_usable', [{ field, message }]);
}

/** The referral with an external id, or the one to which another partner's referral with this id has changed. */
async function findByExternalId(tx: Tx, externalId: string | null | undefined): Promise<ReferralRow | null> {
  if (!externalId) return null;
  const found = await tx.referral.findFirst({ where: { externalId } });
  if (found) return found;
  const lost = await tx.referralConflict.findFirst({ where: { externalId }, orderBy: { id: 'desc' } });
  if (!lost) return null;
  const leadId = (await currentLeads(tx, [lost.leadId])).get(lost.leadId) ?? lost.leadId;
  return tx.referral.findFirst({ where: { leadId } });
}
