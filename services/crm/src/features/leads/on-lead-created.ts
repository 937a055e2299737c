import { leadCreated, leadRestored, leadUpdated } from '@tandem/crm-contract';
import { consumer, type Received } from '@tandem/events';
import type { Tx } from '../../handler.ts';

/**
 * Two leads are paired when they share one of these; the strongest one decides the confidence. An address stem is the
 * address without its +tag, and without dots where the provider ignores them.
 */
const confidence = { email: 1, phone: 0.8, emailStem: 0.75, name: 0.5 } as const;
const pairsPerLeadMax = 20;

type Shared = Record<keyof typeof confidence, boolean>;

interface Candidate extends Shared {
  firstLeadId: number;
  secondLeadId: number;
}

/**
 * Looks for leads that may be the same person, after each creation, restoration, and change of address, phone or name.
 * Compares the leads as they are now, not as the events carry them: events may be late, and there may be several of one
 * lead. Open pairs of these leads are compared again; those that share nothing any more are removed.
 */
export const detectDuplicates = consumer({
  name: 'detect-duplicates',
  on: [leadCreated, leadUpdated, leadRestored],
  async handle(events, { tx }: { tx: Tx }) {
    const leadIds = [...new Set(events.filter(concernsIdentity).map(({ record }) => record.id))];
    if (!leadIds.length) return;
    const candidates = await findCandidates(tx, leadIds);
    await writePairs(tx, candidates.map(pairOf));
  },
});

type Event = Received<typeof leadCreated | typeof leadUpdated | typeof leadRestored>;

function concernsIdentity({ name, data }: Event): boolean {
  if (name !== 'lead.updated') return true;
  const { changes } = data as { changes: object };
  return Object.keys(changes).some((field) => ['email', 'phone', 'firstName', 'lastName'].includes(field));
}

/**
 * The best matches of each lead, and its open pairs. Of each kind only the latest few are read, from an index that ends in
 * the id, so that a thousand namesakes cost no more than twenty. The keys are columns: row-level security keeps conditions
 * with functions out of an index.
 */
function findCandidates(tx: Tx, leadIds: number[]): Promise<Candidate[]> {
  return tx.sql<Candidate>`
    WITH changed AS MATERIALIZED (
      SELECT id, email_key, email_stem, phone, name_stem FROM lead WHERE id = ANY(${leadIds}::bigint[]) AND deleted_at IS NULL),
    near AS MATERIALIZED (
      SELECT changed.id, other.id AS other_id FROM changed CROSS JOIN LATERAL (
        SELECT lead.id FROM lead
        WHERE lead.id IN (
          (SELECT id FROM lead WHERE email_key = changed.email_key AND id <> changed.id AND deleted_at IS NULL
            ORDER BY id DESC LIMIT ${pairsPerLeadMax})
          UNION ALL
          (SELECT id FROM lead WHERE phone = changed.phone AND id <> changed.id AND deleted_at IS NULL
            ORDER BY id DESC LIMIT ${pairsPerLeadMax})
          UNION ALL
          (SELECT id FROM lead WHERE email_stem = changed.email_stem AND id <> changed.id AND deleted_at IS NULL
            ORDER BY id DESC LIMIT ${pairsPerLeadMax})
          UNION ALL
          (SELECT id FROM lead WHERE name_stem = changed.name_stem AND id <> changed.id AND deleted_at IS NULL
            ORDER BY id DESC LIMIT ${pairsPerLeadMax}))
        ORDER BY (lead.email_key = changed.email_key) DESC, coalesce(lead.phone = changed.phone, false) DESC,
          (lead.email_stem = changed.email_stem) DESC, lead.id DESC LIMIT ${pairsPerLeadMax}) AS other
      UNION ALL
      SELECT changed.id, pair.second_lead_id FROM changed JOIN duplicate_pair pair ON pair.first_lead_id = changed.id
        WHERE pair.status = 'open'
      UNION ALL
      SELECT changed.id, pair.first_lead_id FROM changed JOIN duplicate_pair pair ON pair.second_lead_id = changed.id
        WHERE pair.status = 'open')
    SELECT DISTINCT least(changed.id, lead.id) AS "firstLeadId", greatest(changed.id, lead.id) AS "secondLeadId",
      changed.email_key = lead.email_key AS email, changed.email_stem = lead.email_stem AS "emailStem",
      coalesce(changed.phone = lead.phone, false) AS phone, changed.name_stem = lead.name_stem AS name
    FROM near JOIN changed ON changed.id = near.id JOIN lead ON lead.id = near.other_id
    WHERE lead.deleted_at IS NULL
    -- One order for all: two transactions that lock pairs in different orders would wait for each other.
    ORDER BY 1, 2`;
}

function pairOf({ firstLeadId, secondLeadId, ...shared }: Candidate) {
  const kinds = (Object.keys(confidence) as (keyof Shared)[]).filter((kind) => shared[kind]);
  return {
    first: firstLeadId,
    second: secondLeadId,
    confidence: Math.max(0, ...kinds.map((kind) => confidence[kind])),
    matched_on: [...new Set(kinds.map((kind) => (kind === 'emailStem' ? 'email' : kind)))],
  };
}

/** Stores what pairs have in common now; removes open ones that have nothing in common. */
async function writePairs(tx: Tx, pairs: ReturnType<typeof pairOf>[]): Promise<void> {
  const [shared, ended] = [pairs.filter((pair) => pair.confidence), pairs.filter((pair) => !pair.confidence)];
  if (shared.length) {
    await tx.sql`
      INSERT INTO duplicate_pair (first_lead_id, second_lead_id, confidence, matched_on)
      SELECT first, second, confidence, matched_on FROM jsonb_to_recordset(${JSON.stringify(shared)}::jsonb)
        AS row (first bigint, second bigint, confidence float, matched_on text[])
      ON CONFLICT (tenant_id, environment, first_lead_id, second_lead_id) DO UPDATE
        SET confidence = excluded.confidence, matched_on = excluded.matched_on
        WHERE duplicate_pair.status = 'open' AND duplicate_pair.matched_on <> excluded.matched_on
          OR duplicate_pair.status = 'open' AND duplicate_pair.confidence <> excluded.confidence`;
    const paired = shared.flatMap(({ first, second }) => [first, second]);
    await tx.sql`UPDATE lead SET is_paired = true WHERE id = ANY(${paired}::bigint[]) AND NOT is_paired`;
  }
  if (ended.length) {
    await tx.sql`
      DELETE FROM duplicate_pair
      USING jsonb_to_recordset(${JSON.stringify(ended)}::jsonb) AS row (first bigint, second bigint)
      WHERE first_lead_id = row.first AND second_lead_id = row.second AND status = 'open'`;
  }
}
