import type { Tx } from '../../handler.ts';

/**
 * Two leads are paired when they share one of these; the strongest match sets the confidence. An e-mail stem is the
 * address without its +tag, and without dots where the provider ignores them.
 */
const confidenceOf = { email: 1, phone: 0.8, emailStem: 0.75, name: 0.5 } as const;
const pairsPerLeadMax = 20;

type Kind = keyof typeof confidenceOf;

/** Two leads to compare, in any order. */
interface Candidate {
  leadId: number;
  otherId: number;
}

/** Two leads and the fields they currently share; the confidence is 0 when they share none. */
interface Pair {
  first: number;
  second: number;
  confidence: number;
  matched_on: string[];
}

/**
 * Compares these leads with those that share something with them or are paired with them: creates missing pairs, corrects
 * open ones, and removes open ones whose leads no longer share anything.
 */
export async function pairLeads(tx: Tx, leadIds: number[]): Promise<{ written: number; removed: number }> {
  if (!leadIds.length) return { written: 0, removed: 0 };
  const candidates = [...(await findSimilarLeads(tx, leadIds)), ...(await findOpenPairs(tx, leadIds))];
  if (!candidates.length) return { written: 0, removed: 0 };
  await lockCandidates(tx, candidates);
  const pairs = await compareLeads(tx, candidates);
  const isAlike = ({ confidence }: Pair) => confidence > 0;
  const written = await storePairs(tx, pairs.filter(isAlike));
  const removed = await removePairs(
    tx,
    pairs.filter((pair) => !isAlike(pair)),
  );
  return { written, removed };
}

/**
 * The best matches of each lead. For each kind, only the newest few are read from an index that ends in the id, so that
 * a thousand equal names cost no more than twenty. The keys are stored columns because conditions with functions
 * cannot use an index under row-level security.
 */
function findSimilarLeads(tx: Tx, leadIds: number[]): Promise<Candidate[]> {
  return tx.sql<Candidate>`
    SELECT changed.id AS "leadId", other.id AS "otherId"
    FROM lead AS changed CROSS JOIN LATERAL (
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
      -- The strongest kind of match first, then the newest.
      ORDER BY (lead.email_key = changed.email_key) DESC, coalesce(lead.phone = changed.phone, false) DESC,
        (lead.email_stem = changed.email_stem) DESC, lead.id DESC
      LIMIT ${pairsPerLeadMax}) AS other
    WHERE changed.id = ANY(${leadIds}::bigint[]) AND changed.deleted_at IS NULL`;
}

/** Undecided pairs of these leads. */
function findOpenPairs(tx: Tx, leadIds: number[]): Promise<Candidate[]> {
  return tx.sql<Candidate>`
    SELECT first_lead_id AS "leadId", second_lead_id AS "otherId" FROM duplicate_pair
      WHERE first_lead_id = ANY(${leadIds}::bigint[]) AND status = 'open'
    UNION
    SELECT first_lead_id, second_lead_id FROM duplicate_pair
      WHERE second_lead_id = ANY(${leadIds}::bigint[]) AND status = 'open'`;
}

/**
 * Locks the leads of candidates. Pairs are written only under these locks, which are taken in one order: otherwise two
 * transactions that pair the same leads could wait for each other.
 */
async function lockCandidates(tx: Tx, candidates: Candidate[]): Promise<void> {
  const leadIds = candidates.flatMap(({ leadId, otherId }) => [leadId, otherId]);
  // The strength of an UPDATE, which permits that other transactions insert rows that refer to the leads.
  await tx.sql`SELECT id FROM lead WHERE id = ANY(${leadIds}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
}

interface Compared extends Record<Kind, boolean> {
  first: number;
  second: number;
}

/** Compares the leads of each candidate. Skips candidates with a deleted lead, so that their pairs stay unchanged. */
async function compareLeads(tx: Tx, candidates: Candidate[]): Promise<Pair[]> {
  const compared = await tx.sql<Compared>`
    WITH pair AS (
      SELECT DISTINCT least("leadId", "otherId") AS first, greatest("leadId", "otherId") AS second
      FROM jsonb_to_recordset(${JSON.stringify(candidates)}::jsonb) AS row ("leadId" bigint, "otherId" bigint))
    SELECT pair.first, pair.second, a.email_key = b.email_key AS email, a.email_stem = b.email_stem AS "emailStem",
      coalesce(a.phone = b.phone, false) AS phone, a.name_stem = b.name_stem AS name
    FROM pair JOIN lead AS a ON a.id = pair.first JOIN lead AS b ON b.id = pair.second
    WHERE a.deleted_at IS NULL AND b.deleted_at IS NULL`;
  return compared.map(({ first, second, ...shared }) => {
    const kinds = (Object.keys(confidenceOf) as Kind[]).filter((kind) => shared[kind]);
    return {
      first,
      second,
      confidence: Math.max(0, ...kinds.map((kind) => confidenceOf[kind])),
      matched_on: [...new Set(kinds.map((kind) => (kind === 'emailStem' ? 'email' : kind)))],
    };
  });
}

/** Creates pairs and updates open ones; returns how many were missing or differed. */
async function storePairs(tx: Tx, pairs: Pair[]): Promise<number> {
  if (!pairs.length) return 0;
  const written = await tx.sql`
    INSERT INTO duplicate_pair (first_lead_id, second_lead_id, confidence, matched_on)
    SELECT first, second, confidence, matched_on FROM jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb)
      AS row (first bigint, second bigint, confidence float, matched_on text[])
    ON CONFLICT (tenant_id, environment, first_lead_id, second_lead_id) DO UPDATE
      SET confidence = excluded.confidence, matched_on = excluded.matched_on
      WHERE duplicate_pair.status = 'open'
        AND (duplicate_pair.matched_on <> excluded.matched_on OR duplicate_pair.confidence <> excluded.confidence)
    RETURNING id`;
  const paired = pairs.flatMap(({ first, second }) => [first, second]);
  await tx.sql`UPDATE lead SET is_paired = true WHERE id = ANY(${paired}::bigint[]) AND NOT is_paired`;
  return written.length;
}

/** Removes pairs that are still open; returns how many there were. */
async function removePairs(tx: Tx, pairs: Pair[]): Promise<number> {
  if (!pairs.length) return 0;
  const removed = await tx.sql`
    DELETE FROM duplicate_pair
    USING jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) AS row (first bigint, second bigint)
    WHERE first_lead_id = row.first AND second_lead_id = row.second AND status = 'open'
    RETURNING id`;
  return removed.length;
}
