import { leadCreated, leadUpdated } from '@tandem/crm-contract';
import { consumer } from '@tandem/events';
import type { Tx } from '../../handler.ts';

/** Two leads are paired when they share one of these; the surest one decides the confidence. */
const confidence = { email: 1, phone: 0.8, name: 0.5 } as const;
const pairsPerLeadMax = 20;

type Signal = keyof typeof confidence;

interface Match {
  id: number;
  email: boolean;
  phone: boolean;
  name: boolean;
}

/**
 * Looks for leads that may be the same person, after each creation and each change of address, phone or name.
 * Namesakes alone are a weak match, equal addresses a sure one.
 */
export const detectDuplicates = consumer({
  name: 'detect-duplicates',
  on: [leadCreated, leadUpdated],
  async handle(events, { tx }: { tx: Tx }) {
    const pairs = [];
    for (const { record: lead, name: event, data } of events) {
      if (event === 'lead.updated' && !touchesIdentity(Object.keys((data as { changes: object }).changes))) continue;
      const [email, name] = [lead.email, `${lead.firstName} ${lead.lastName}`];
      const matches = await tx.sql<Match>`
        SELECT id, email_key = lower(${email}) AS email, coalesce(phone = ${lead.phone}, false) AS phone, name_key = lower(${name}) AS name
        FROM lead
        WHERE id <> ${lead.id} AND deleted_at IS NULL
          AND (email_key = lower(${email}) OR phone = ${lead.phone} OR name_key = lower(${name}))
        ORDER BY (email_key = lower(${email})) DESC, id DESC LIMIT ${pairsPerLeadMax}`;
      pairs.push(...matches.map((match) => pairOf(lead.id, match)));
    }
    if (pairs.length) await tx.duplicatePair.createMany({ data: pairs, skipDuplicates: true });
  },
});

function touchesIdentity(fields: string[]): boolean {
  return fields.some((field) => ['email', 'phone', 'firstName', 'lastName'].includes(field));
}

function pairOf(leadId: number, match: Match) {
  const matchedOn = (['email', 'phone', 'name'] as Signal[]).filter((signal) => match[signal]);
  return {
    firstLeadId: Math.min(leadId, match.id),
    secondLeadId: Math.max(leadId, match.id),
    matchedOn,
    confidence: Math.max(...matchedOn.map((signal) => confidence[signal])),
  };
}
