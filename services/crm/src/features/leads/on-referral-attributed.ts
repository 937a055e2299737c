import { leadUpdated, opportunityUpdated } from '@tandem/crm-contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import {
  referralAttributed,
  referralCleared,
  referralFlagged,
  referralReassigned,
  referralVoided,
} from '@tandem/partner-contract';
import type { Tx } from '../../handler.ts';
import { writeOpportunity } from '../opportunities/opportunity.ts';
import { asLead, writeLead } from './lead.ts';

/** The partner of a lead, and since when; null if its referral is void, or flagged: the partner would see the lead. */
interface Attribution {
  partnerId: number | null;
  at: Date;
  /** The time of the touch: deals that were closed before belong to nobody. */
  touchedAt: Date;
}

/**
 * Writes the partner of a lead that the partner service has attributed, also to its deals that have none or the one before.
 * Events can arrive in any order: the newest one of a lead counts.
 */
export const notePartners = consumer({
  name: 'note-partners',
  on: [referralAttributed, referralFlagged, referralCleared, referralReassigned, referralVoided],
  async handle(events, { tx, emit }: ConsumerContext<Tx>) {
    const newest = new Map<number, Attribution>();
    for (const { name, data, record, occurredAt: at } of events) {
      const known = newest.get(data.leadId);
      const partnerId = name === 'referral.voided' || record.status === 'flagged' ? null : data.partnerId;
      if (!known || known.at <= at) newest.set(data.leadId, { partnerId, at, touchedAt: record.occurredAt ?? at });
    }
    const changed: Change[] = [];
    // Locked in the order of ids, so that two transactions cannot wait for each other.
    for (const [leadId, { partnerId: to, at, touchedAt }] of [...newest].sort(([one], [other]) => one - other)) {
      const row = await tx.lead.lockFirst({ where: { id: leadId } });
      if (!row || row.deletedAt || (row.partnerNotedAt && row.partnerNotedAt > at)) continue;
      const { partnerId: from } = asLead(row);
      if (from === to) {
        // Nothing that callers see has changed, so it is no new version.
        await tx.sql`UPDATE lead SET partner_noted_at = ${at} WHERE id = ${leadId}`;
        continue;
      }
      const updated = await writeLead(tx, leadId, { partnerId: to, partnerNotedAt: at });
      emit(leadUpdated, {
        data: { leadId, changes: { partnerId: to } },
        record: updated,
        changes: { partnerId: { from, to } },
      });
      changed.push({ leadId, from, to, touchedAt });
    }
    for (const change of changed) await moveDeals({ tx, emit }, change);
  },
});

interface Change extends Pick<Attribution, 'touchedAt'> {
  leadId: number;
  from: number | null;
  to: number | null;
}

/**
 * Gives the deals of a lead to its new partner, except for those that were closed before the touch, and those that somebody
 * gave to another partner.
 */
async function moveDeals(
  { tx, emit }: Pick<ConsumerContext<Tx>, 'tx' | 'emit'>,
  { leadId, from, to, touchedAt }: Change,
): Promise<void> {
  const where = { leadId, deletedAt: null, OR: [{ closedAt: null }, { closedAt: { gte: touchedAt } }] };
  const deals = await tx.opportunity.findMany({
    where,
    orderBy: { id: 'asc' },
    select: { id: true, partnerId: true },
  });
  const moved = to === null ? [from] : [null, from];
  for (const { id, partnerId } of deals.filter((deal) => moved.includes(deal.partnerId))) {
    const row = await tx.opportunity.lockFirst({ where: { ...where, id, partnerId } });
    if (!row) continue;
    const updated = await writeOpportunity(tx, id, { partnerId: to });
    emit(opportunityUpdated, {
      data: { opportunityId: id, fields: ['partnerId'] },
      record: updated,
      changes: { partnerId: { from: partnerId, to } },
    });
  }
}
