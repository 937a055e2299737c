import type { Emit } from '@tandem/events';
import { referralFlagged } from '@tandem/partner-contract';
import { followLeadMerges } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import { creditWaiting } from '../credit-partners.ts';
import { addConflicts, conflictOf } from './conflict.ts';
import { lockLeads } from './lock-leads.ts';
import { asReferral, writeReferral } from './referral.ts';

interface Place {
  origin: number;
  current: number;
}

/**
 * The referral and the deals of a lead that is merged belong to the lead that remains. A lead has one referral: the
 * lead that remains keeps its own, else it gets the oldest. Another referral stays with the merged lead and earns nothing
 * more. Commissions stay with the partner who earned them, also when the merge is undone.
 */
export const mergeFollowers = followLeadMerges<Tx>(
  [
    {
      table: fragment`referral`,
      conflict: fragment`true`,
      async before({ tx }, places) {
        await lockLeads(
          tx,
          places.flatMap(({ origin, current }) => [origin, current]),
        );
        await removeCopies(tx, places);
        await removeWeaker(tx, places);
      },
    },
    { table: fragment`uncredited_deal`, key: fragment`opportunity_id` },
    { table: fragment`deal`, key: fragment`opportunity_id` },
  ],
  async (context, leadIds) => {
    await flagMerged(context, leadIds);
    await creditWaiting(leadIds, context);
  },
);

/** A void or unproven referral of the survivor gives way to one of the merged lead that is proven. */
async function removeWeaker(tx: Tx, places: Place[]): Promise<void> {
  const moves = JSON.stringify(places.filter(({ origin, current }) => origin !== current));
  const removed = await tx.sql<Removed>`DELETE FROM referral AS weaker
    USING jsonb_to_recordset(${moves}::jsonb) AS place (origin bigint, current bigint), referral
    WHERE weaker.lead_id = place.current AND weaker.merged_from_lead_id IS NULL
      AND (weaker.status = 'void' OR weaker.is_unproven
        OR (weaker.status = 'flagged' AND weaker.flag_reason = 'unconfirmed_form'))
      AND NOT referral.is_unproven AND referral.lead_id = place.origin AND referral.status = 'attributed'
    RETURNING weaker.partner_id AS "partnerId", weaker.lead_id AS "leadId", weaker.code, weaker.source, weaker.status,
      weaker.occurred_at AS "occurredAt", referral.partner_id AS winner`;
  await addConflicts(
    tx,
    removed
      .filter(({ partnerId, winner, status }) => partnerId !== winner && status !== 'void')
      .map(({ leadId, winner, status: _, ...attempt }) =>
        conflictOf(leadId, { clickId: null, ...attempt }, { winner, cause: 'unconfirmed_form', externalId: null }),
      ),
  );
}

interface Removed {
  partnerId: number;
  leadId: number;
  code: string | null;
  source: string;
  status: string;
  occurredAt: Date;
  winner: number;
}

/**
 * Flags unproven referrals that came to another lead by a merge: a form with another address of a known person creates a new
 * lead, which is merged with the known one.
 */
async function flagMerged(
  { tx, emit }: { tx: Tx; emit: Emit<typeof referralFlagged> },
  leadIds: number[],
): Promise<void> {
  const found = await tx.referral.findMany({
    where: { leadId: { in: leadIds }, mergedFromLeadId: { not: null }, isUnproven: true, status: 'attributed' },
  });
  for (const row of found) {
    const flag = { status: 'flagged', flagReason: 'unconfirmed_form' };
    const record = asReferral(await writeReferral(tx, row.id, flag));
    const { id: referralId, partnerId, leadId } = record;
    const changes = { status: { from: row.status, to: record.status } };
    emit(referralFlagged, { data: { referralId, partnerId, leadId }, record, changes });
  }
}

/**
 * The survivor of a merge also gets the referral code, and with it a referral if that event is handled first. The referral
 * of the merged lead takes the place of this copy, so that it can go back.
 */
async function removeCopies(tx: Tx, places: Place[]): Promise<void> {
  const moves = JSON.stringify(places.filter(({ origin, current }) => origin !== current));
  await tx.sql`DELETE FROM referral AS copy
    USING jsonb_to_recordset(${moves}::jsonb) AS place (origin bigint, current bigint), referral, merged_lead
    WHERE copy.lead_id = place.current AND copy.merged_from_lead_id IS NULL AND copy.created_by IS NULL
      AND referral.lead_id = place.origin AND referral.partner_id = copy.partner_id AND referral.code = copy.code
      AND merged_lead.lead_id = place.origin AND copy.created_at >= merged_lead.changed_at`;
}
