import type { internalRebuilds } from '@tandem/partner-contract';
import { asService, fail } from '@tandem/service';
import type { Handler, Peers, Tools } from '../../handler.ts';
import { wonDeal } from '../commissions/on-opportunity-won.ts';
import { uncreditedDays, type WonDeal } from '../commissions/uncredited-deals.ts';
import { credit } from '../credit-partners.ts';
import { type ReferredLead, referredLead } from './on-lead-created.ts';

const dayMs = 86_400_000;

/** One page: leads with a code or won deals, and where the next page begins. */
interface Page {
  leads: ReferredLead[];
  deals: WonDeal[];
  next: number | null;
}

/**
 * Handles one page of crm's records as `creditPartners` handles their events, which may be handled at the same time. Existing
 * commissions never change, and a lead goes to another partner only by a later touch. The part `leads` attributes leads to the partner of their code, who must have been
 * approved at that time; the stored deals of these leads become commissions, or are removed if they were won before the lead
 * had the code. `deals` credits or stores won deals that are neither stored nor in the ledger of commissions.
 */
export const rebuildReferrals = ({
  peers,
}: Tools): Handler<typeof internalRebuilds.rebuildReferrals, Page & { read: number }> => ({
  async check({ body: { part, after }, caller }) {
    if (caller.tenantId === undefined) throw fail('not_found');
    const request = { body: { after }, as: asService(caller) };
    return part === 'leads' ? readLeads(peers, request) : readDeals(peers, request);
  },
  async run({ tx, emit, schedule, found: { leads, deals, read, next } }) {
    const written = await credit({ leads, deals, isRebuild: true }, { tx, emit, schedule });
    return { read, written, removed: 0, next };
  },
});

type Request = Parameters<Peers['crm']['exportLeads']>[0];

/** Also deleted leads: their referrals stay. */
async function readLeads({ crm }: Peers, request: Request) {
  const exported = await crm.exportLeads(request);
  const leads = exported.flatMap(({ record, referredAt }) => {
    const lead = referredLead(record, referredAt ?? record.createdAt);
    return lead ? [{ ...lead, isPast: true }] : [];
  });
  return { leads, deals: [], read: exported.length, next: exported.at(-1)?.record.id ?? null };
}

/** Without older deals, which are no longer stored after this time. */
async function readDeals({ crm }: Peers, request: Request) {
  const exported = await crm.exportOpportunities(request);
  const since = Date.now() - uncreditedDays * dayMs;
  const deals = exported.flatMap(({ record, wonAt }) =>
    wonAt && wonAt.getTime() > since ? (wonDeal(record, wonAt) ?? []) : [],
  );
  return { leads: [], deals, read: exported.length, next: exported.at(-1)?.record.id ?? null };
}
