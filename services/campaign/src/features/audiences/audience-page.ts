import type { Caller } from '@tandem/caller';
import { selectedLeadsMax } from '@tandem/contract';
import { asService, type Reach } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { sourcesOf } from './audience.ts';
import { amongSource, type LeadsPage, leadsOfSource, type Reading, type SelectedLead, type Source } from './sources.ts';

/**
 * A page of the audience of a campaign: the leads of its included parts without those of its excluded ones, in the order of
 * their ids and none twice. It reads at most `limit` leads of each part, so a page can have fewer leads, or none, before
 * the last one: continue with `next` until it is null. It calls crm, so call it outside of a transaction.
 * @param page.limit at most 1,000
 * @param caller on whose behalf crm is asked
 * @param reach limits the leads to those that a narrowed caller can read; by default all of the tenant
 */
export async function audiencePage(
  tools: { crm: Pick<Tools['crm'], 'selectLeads'> },
  tx: Tx,
  campaign: { id: number },
  page: { after: number | null; limit: number },
  caller: Caller,
  reach: Reach = 'all',
): Promise<{ leadIds: number[]; next: number | null }> {
  const sources = await sourcesOf(tx, campaign.id);
  const { leads, next } = await leadsOfAudience({ crm: tools.crm, tx, as: asService(caller, reach) }, sources, page);
  return { leadIds: leads.map(({ id }) => id), next };
}

/** The same for sources that are read already, with the addresses and consents of the leads. */
export async function leadsOfAudience(
  reading: Reading,
  { include, exclude }: { include: readonly Source[]; exclude: readonly Source[] },
  { after, limit }: { after: number | null; limit: number },
): Promise<LeadsPage> {
  const size = Math.min(limit, selectedLeadsMax);
  const pages = await Promise.all(include.map((source) => leadsOfSource(reading, source, { after, limit: size })));
  const { leads, next } = merged(pages, size);
  const ids = leads.map(({ id }) => id);
  const excluded = await Promise.all(exclude.map((source) => amongSource(reading, source, ids)));
  return { leads: leads.filter(({ id }) => !excluded.some((those) => those.has(id))), next };
}

/** Merges pages with the same `after`: up to the id to which each of them is complete, and at most `limit` leads. */
function merged(pages: readonly LeadsPage[], limit: number): LeadsPage {
  const end = pages.reduce(
    (least, { next }) => Math.min(least, next ?? Number.POSITIVE_INFINITY),
    Number.POSITIVE_INFINITY,
  );
  const byId = new Map<number, SelectedLead>();
  for (const lead of pages.flatMap(({ leads }) => leads)) if (lead.id <= end) byId.set(lead.id, lead);
  const leads = [...byId.values()].sort((one, other) => one.id - other.id);
  if (leads.length > limit) {
    const first = leads.slice(0, limit);
    return { leads: first, next: first.at(-1)?.id ?? null };
  }
  return { leads, next: Number.isFinite(end) ? end : null };
}
