import { leadCreated, leadUpdated } from '@tandem/crm-contract';
import { consumer } from '@tandem/events';
import type { Tx } from '../../handler.ts';

/** Two leads are paired when they share one of these; the surest one decides the confidence. */
const confidence = { email: 1, phone: 0.8, name: 0.5 } as const;
const pairsPerLeadMax = 20;

type Signal = keyof typeof confidence;

interface Candidate {
  id: number;
  email: string;
  phone: string | null;
  name: string;
}

interface Match {
  leadId: number;
  otherId: number;
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
    const candidates = events
      .filter(({ name, data }) => name === 'lead.created' || touchesIdentity(data as { changes: object }))
      .map(({ record: { id, email, phone, firstName, lastName } }) => ({
        ...{ id, email, phone },
        name: `${firstName} ${lastName}`,
      }));
    const matches = candidates.length ? await findMatches(tx, candidates) : [];
    if (!matches.length) return;
    await tx.duplicatePair.createMany({ data: matches.map(pairOf), skipDuplicates: true });
    const paired = matches.flatMap(({ leadId, otherId }) => [leadId, otherId]);
    await tx.sql`UPDATE lead SET is_paired = true WHERE id = ANY(${paired}::bigint[]) AND NOT is_paired`;
  },
});

function touchesIdentity({ changes }: { changes: object }): boolean {
  return Object.keys(changes).some((field) => ['email', 'phone', 'firstName', 'lastName'].includes(field));
}

/**
 * The best matches of each lead. Of each kind only the latest few are read, from an index that ends in the id, so that a
 * thousand namesakes cost no more than twenty. The keys are made before they are compared: row-level security keeps
 * conditions with functions out of an index.
 */
function findMatches(tx: Tx, candidates: Candidate[]): Promise<Match[]> {
  return tx.sql<Match>`
    WITH candidate AS MATERIALIZED (
      SELECT id, lower(email) AS email_key, phone, lower(name) AS name_key
      FROM jsonb_to_recordset(${JSON.stringify(candidates)}::jsonb) AS row (id bigint, email text, phone text, name text))
    SELECT candidate.id AS "leadId", match.*
    FROM candidate CROSS JOIN LATERAL (
      SELECT lead.id AS "otherId", lead.email_key = candidate.email_key AS email,
        coalesce(lead.phone = candidate.phone, false) AS phone, lead.name_key = candidate.name_key AS name
      FROM lead
      WHERE lead.id IN (
        (SELECT id FROM lead WHERE email_key = candidate.email_key AND id <> candidate.id AND deleted_at IS NULL
          ORDER BY id DESC LIMIT ${pairsPerLeadMax})
        UNION ALL
        (SELECT id FROM lead WHERE phone = candidate.phone AND id <> candidate.id AND deleted_at IS NULL
          ORDER BY id DESC LIMIT ${pairsPerLeadMax})
        UNION ALL
        (SELECT id FROM lead WHERE name_key = candidate.name_key AND id <> candidate.id AND deleted_at IS NULL
          ORDER BY id DESC LIMIT ${pairsPerLeadMax}))
      ORDER BY (lead.email_key = candidate.email_key) DESC, lead.id DESC LIMIT ${pairsPerLeadMax}) AS match`;
}

function pairOf({ leadId, otherId, ...matched }: Match) {
  const matchedOn = (['email', 'phone', 'name'] as Signal[]).filter((signal) => matched[signal]);
  return {
    firstLeadId: Math.min(leadId, otherId),
    secondLeadId: Math.max(leadId, otherId),
    matchedOn,
    confidence: Math.max(...matchedOn.map((signal) => confidence[signal])),
  };
}
