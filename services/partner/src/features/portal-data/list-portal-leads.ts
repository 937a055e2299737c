import type { portalData } from '@tandem/partner-contract';
import { asService } from '@tandem/service';
import type { Referral as ReferralRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { readOwnPartner } from '../portal/own-partner.ts';
import { holds } from '../referrals/last-touch.ts';
import { asPortalLead, type Disclosure, type LeadOfPartner, readDisclosure } from './disclosed.ts';

interface Found {
  rows: ReferralRow[];
  total: number;
  leads: ReadonlyMap<number, LeadOfPartner>;
  disclosure: Disclosure;
}

/** The leads of the page are asked for by their ids, so the page is read before. */
export const listPortalLeads = (tools: Tools): Handler<typeof portalData.listPortalLeads, Found> => ({
  async check({ query: { page, limit }, caller, tx }) {
    const { id: partnerId } = await readOwnPartner(tx, caller);
    // Without unconfirmed referrals: a partner can send the address of anybody by a form, and must not learn about the person.
    const where = { partnerId, ...holds };
    const [total, rows] = await Promise.all([
      tx.referral.count({ where }),
      tx.referral.findMany({
        where,
        orderBy: [{ occurredAt: 'desc' }, { id: 'desc' }],
        skip: (page - 1) * limit,
        take: limit,
      }),
    ]);
    const ids = rows.map(({ leadId }) => leadId);
    const found = ids.length ? await tools.peers.crm.findLeads({ body: { ids }, as: asService(caller) }) : [];
    const leads = new Map(found.map((lead) => [lead.id, lead]));
    return { rows, total, leads, disclosure: await readDisclosure(tools, caller) };
  },
  run({ query: { page, limit }, found: { rows, total, leads, disclosure } }) {
    const items = rows.map((row) => asPortalLead(row, leads.get(row.leadId), disclosure));
    return { items, total, page, limit, hasPrev: page > 1, hasNext: page * limit < total, nextCursor: null };
  },
});
