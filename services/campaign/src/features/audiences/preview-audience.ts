import { type AudiencePreview, type audiences, CampaignType, previewedLeadsMax } from '@tandem/campaign-contract';
import { selectedLeadsMax } from '@tandem/contract';
import { asService, reachOf } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { findCampaignRow } from '../campaigns/campaign.ts';
import { suppressedAddresses } from '../suppressions/suppressed.ts';
import { sourcesOf } from './audience.ts';
import { leadsOfAudience } from './audience-page.ts';
import { addressFor, type Contact, hasConsent } from './contact.ts';
import type { SelectedLead } from './sources.ts';

type Preview = z.output<typeof AudiencePreview>;

const samplesMax = 10;
// Pages without leads, where few leads of a large tenant meet the conditions.
const pagesMax = 60;

export const previewAudience = (
  tools: Pick<Tools, 'crm' | 'seal'>,
): Handler<typeof audiences.previewAudience, Preview> => ({
  async check({ params, caller, tx }) {
    const row = await findCampaignRow(tx, params.id);
    const type = CampaignType.parse(row.type);
    const reading = { crm: tools.crm, tx, as: asService(caller, reachOf(caller, 'leads:read')) };
    const sources = await sourcesOf(tx, row.id);
    const preview = emptyPreview();
    const seen = new Set<string>();
    let after: number | null = null;
    for (let page = 0; page < pagesMax && preview.total < previewedLeadsMax; page++) {
      const { leads, next } = await leadsOfAudience(reading, sources, { after, limit: selectedLeadsMax });
      await count(tools, tx, preview, { leads, type, topicId: row.topicId, seen });
      after = next;
      if (after === null) break;
    }
    return { ...preview, isComplete: after === null };
  },
  run: ({ found }) => found,
});

function emptyPreview(): Preview {
  const dropped = { no_address: 0, no_consent: 0, suppressed: 0, duplicate: 0 };
  return { total: 0, reachable: 0, dropped, isComplete: false, samples: [] };
}

interface Counting {
  leads: readonly SelectedLead[];
  type: z.output<typeof CampaignType>;
  topicId: number | null;
  /** The addresses of leads before them that get a message. */
  seen: Set<string>;
}

/** Adds leads to the counts. */
async function count(
  tools: Pick<Tools, 'seal'>,
  tx: Tx,
  preview: Preview,
  { leads, type, topicId, seen }: Counting,
): Promise<void> {
  const contacts = leads.map((lead) => ({ lead, contact: addressFor(type, lead) }));
  const suppressed = await suppressedContacts(
    tools,
    tx,
    contacts.flatMap(({ contact }) => contact ?? []),
    topicId,
  );
  for (const { lead, contact } of contacts) {
    preview.total++;
    const reason = dropReason(lead, contact, { suppressed, seen });
    if (reason) preview.dropped[reason]++;
    if (reason || !contact) continue;
    preview.reachable++;
    seen.add(contact.address.toLowerCase());
    if (preview.samples.length < samplesMax) preview.samples.push({ leadId: lead.id, ...contact });
  }
}

function dropReason(
  lead: SelectedLead,
  contact: Contact | undefined,
  { suppressed, seen }: { suppressed: ReadonlySet<string>; seen: ReadonlySet<string> },
): keyof Preview['dropped'] | undefined {
  if (!contact) return 'no_address';
  if (!hasConsent(lead, contact.channel)) return 'no_consent';
  if (suppressed.has(contact.address)) return 'suppressed';
  return seen.has(contact.address.toLowerCase()) ? 'duplicate' : undefined;
}

async function suppressedContacts(
  tools: Pick<Tools, 'seal'>,
  tx: Tx,
  contacts: readonly Contact[],
  topicId: number | null,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const channel of ['email', 'sms'] as const) {
    const addresses = contacts.filter((one) => one.channel === channel).map(({ address }) => address);
    for (const address of (await suppressedAddresses(tools, tx, { channel, topicId }, addresses)).keys())
      found.add(address);
  }
  return found;
}
