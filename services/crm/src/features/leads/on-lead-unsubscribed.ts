import { leadResubscribed, leadUnsubscribed } from '@tandem/campaign-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { storeChange } from './change-lead.ts';
import type { ConsentRecord } from './consent.ts';
import { asLead } from './lead.ts';

type Decision = Received<typeof leadUnsubscribed | typeof leadResubscribed>;

const refusedBy = { link: 'Unsubscribe link', text_message: 'Text message' } as const;
const grantedBy = { link: 'Preferences page', text_message: 'Text message' } as const;
const mergesMax = 20;

/**
 * Denies the consent of leads for a channel when they unsubscribe from all its messages, and grants it when they end that
 * themselves. The later decision wins; a denial that somebody else recorded stays.
 */
export const noteUnsubscriptions = consumer({
  name: 'note-unsubscriptions',
  on: [leadUnsubscribed, leadResubscribed],
  async handle(events: Decision[], { tx, emit }: ConsumerContext<Tx>) {
    const decisions = events
      .filter((event) => event.name === 'lead.resubscribed' || event.data.topicId === null)
      .toSorted((one, other) => one.occurredAt.getTime() - other.occurredAt.getTime());
    if (!decisions.length) return;
    const survivorOf = await survivors(
      tx,
      decisions.map(({ data }) => data.leadId),
    );
    const byLead = Map.groupBy(decisions, ({ data }) => survivorOf.get(data.leadId) ?? data.leadId);
    // Locked in the order of ids, so that two transactions cannot wait for each other.
    for (const [leadId, ofLead] of [...byLead].sort(([one], [other]) => one - other)) {
      const row = await tx.lead.lockFirst({ where: { id: leadId } });
      if (!row || row.deletedAt) continue;
      const lead = asLead(row);
      await storeChange({ tx, emit }, lead, { consent: ofLead.reduce(consentAfter, lead.consent) });
    }
  },
});

/** The leads that remain of merged ones: links of old messages still name the merged lead. */
async function survivors(tx: Tx, leadIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await tx.sql<{ origin: number; id: number }>`
    WITH RECURSIVE followed (origin, id, step) AS (
      SELECT id, id, 0 FROM lead WHERE id = ANY(${[...new Set(leadIds)]}::bigint[])
      UNION ALL
      SELECT origin, merged_into_id, step + 1 FROM followed JOIN lead ON lead.id = followed.id
      WHERE merged_into_id IS NOT NULL AND step < ${mergesMax})
    SELECT DISTINCT ON (origin) origin, id FROM followed ORDER BY origin, step DESC`;
  return new Map(rows.map(({ origin, id }) => [origin, id]));
}

function consentAfter(consent: ConsentRecord, { name, data, occurredAt: at }: Decision): ConsentRecord {
  const { channel, way } = data;
  const known = consent[channel];
  if (known && known.at > at) return consent;
  const isDenied = known?.state === 'denied';
  if (name === 'lead.unsubscribed')
    return isDenied ? consent : { ...consent, [channel]: { state: 'denied', source: refusedBy[way ?? 'link'], at } };
  const isOwnDenial = isDenied && Object.values<string | null>(refusedBy).includes(known.source);
  return isOwnDenial ? { ...consent, [channel]: { state: 'granted', source: grantedBy[way ?? 'link'], at } } : consent;
}
