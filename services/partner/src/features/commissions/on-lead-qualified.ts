import type { leadCreated, leadStatusChanged } from '@tandem/crm-contract';
import type { Received, Schedule } from '@tandem/events';
import { currentLeads } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { earnFromSales } from './earn-from-sales.ts';
import type { Earning } from './emit-earned.ts';
import { findReferrers } from './referrers.ts';

/** How long a qualified lead waits for its referral. */
export const qualifiedDays = 90;

export interface QualifiedLead {
  leadId: number;
  qualifiedAt: Date;
}

/** Leads that became qualified, or were created so. */
export function qualifiedLeads(
  events: readonly Received<typeof leadCreated | typeof leadStatusChanged>[],
): QualifiedLead[] {
  return events.flatMap(({ record: { id: leadId, status, createdAt }, name, occurredAt, data }) => {
    const isQualified = 'to' in data ? data.to === 'qualified' : status === 'qualified';
    return isQualified ? [{ leadId, qualifiedAt: name === 'lead.created' ? createdAt : occurredAt }] : [];
  });
}

/** Stores when leads were first qualified; a lead that is qualified again changes nothing. */
export async function storeQualified(tx: Tx, leads: readonly QualifiedLead[]): Promise<void> {
  if (leads.length) await tx.qualifiedLead.createMany({ data: [...leads], skipDuplicates: true });
}

/** Records the commissions of those of the leads that are qualified and were referred before, once per lead and plan. */
export async function earnFromQualified(
  leadIds: readonly number[],
  { tx, emit, schedule }: Earning & { schedule: Schedule },
): Promise<void> {
  if (!leadIds.length) return;
  const qualified = await tx.qualifiedLead.findMany({ where: { leadId: { in: [...leadIds] } } });
  if (!qualified.length) return;
  const leads = await currentLeads(
    tx,
    qualified.map(({ leadId }) => leadId),
  );
  const referrers = await findReferrers(tx, [...leads.values()]);
  const sales = qualified.flatMap(({ leadId, qualifiedAt: at }) => {
    const current = leads.get(leadId) ?? leadId;
    const referrer = referrers.get(current);
    return referrer && referrer.referredAt <= at ? [{ sale: { leadId: current, at, deal: null }, referrer }] : [];
  });
  await earnFromSales({ tx, emit, schedule }, 'lead.qualified', sales);
}
