import { inTurns } from '@tandem/process';
import type { Tx } from '../../handler.ts';
import {
  compareLeads,
  factsOf,
  type Identity,
  type MatchKeys,
  matchKeys,
  misspeltKeys,
  type Similarity,
} from './similarity.ts';

/** The best matches that are kept for each compared lead, and the newest few that are read for each of its keys. */
const pairsPerLeadMax = 20;

/** Two leads to compare, in any order. */
interface Candidate {
  leadId: number;
  otherId: number;
}

/** Two leads and what they currently have in common. */
interface Pair extends Similarity {
  first: number;
  second: number;
}

interface Person extends Identity, MatchKeys {
  id: number;
}

/**
 * Compares these leads with those that share a key with them or are paired with them: creates missing pairs, corrects
 * undecided ones, and removes undecided ones whose leads no longer have anything in common.
 * @param options.mayReopen whether a dismissed pair opens when its confidence has risen, because one of its leads changed
 */
export async function pairLeads(
  tx: Tx,
  leadIds: number[],
  { mayReopen = false }: { mayReopen?: boolean } = {},
): Promise<{ written: number; removed: number }> {
  const changed = await readPersons(tx, leadIds);
  const stale = changed.filter(isStale).map(({ id }) => id);
  // Leads without keys cannot see each other, so they are compared one transaction after another.
  if (stale.length) await lockKeyRepair(tx);
  const candidates = await bestCandidates(tx, changed);
  const known = await findPairs(tx, leadIds);
  if (!candidates.length && !known.length && !stale.length) return { written: 0, removed: 0 };
  const compared = [...candidates, ...known];
  const current = await lockPersons(tx, [...stale, ...compared.flatMap(({ leadId, otherId }) => [leadId, otherId])]);
  await writeKeys(tx, current.filter(isStale));
  const pairs = await comparePairs(compared, current);
  const isAlike = ({ confidence }: Pair) => confidence > 0;
  const written = await storePairs(tx, pairs.filter(isAlike), mayReopen);
  const removed = await removePairs(
    tx,
    pairs.filter((pair) => !isAlike(pair)),
  );
  return { written, removed };
}

function isStale(person: Person): boolean {
  const keys = matchKeys(person);
  return (Object.keys(keys) as (keyof MatchKeys)[]).some((name) => keys[name] !== person[name]);
}

function lockKeyRepair(tx: Tx): Promise<object[]> {
  return tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('match keys',
    platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
}

function readPersons(tx: Tx, leadIds: number[]): Promise<Person[]> {
  if (!leadIds.length) return Promise.resolve([]);
  return tx.sql<Person>`
    SELECT id, email, first_name AS "firstName", last_name AS "lastName", phone, phone_key AS "phoneKey",
      name_sorted AS "nameSorted", name_initial AS "nameInitial", name_sound AS "nameSound", name_domain AS "nameDomain"
    FROM lead WHERE id = ANY(${leadIds}::bigint[]) AND deleted_at IS NULL`;
}

/**
 * Locks leads. Pairs are written only under these locks, which are taken in one order: otherwise two transactions that
 * pair the same leads could wait for each other.
 */
async function lockPersons(tx: Tx, leadIds: number[]): Promise<Person[]> {
  // The strength of an UPDATE, which permits that other transactions insert rows that refer to the leads.
  await tx.sql`SELECT id FROM lead WHERE id = ANY(${leadIds}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  return readPersons(tx, leadIds);
}

/** The best matches of each lead among those that share a key with it. */
async function bestCandidates(tx: Tx, changed: Person[]): Promise<Candidate[]> {
  if (!changed.length) return [];
  const found = await findByKeys(tx, changed);
  const persons = await readPersons(tx, [...new Set(found.map(({ otherId }) => otherId))]);
  const byId = await factsById([...persons, ...changed]);
  const compared = await inTurns(found, (candidate) => {
    const [one, other] = [byId.get(candidate.leadId), byId.get(candidate.otherId)];
    return { ...candidate, confidence: one && other ? compareLeads(one, other).confidence : 0 };
  });
  const rated = compared.filter(({ confidence }) => confidence > 0);
  return [...Map.groupBy(rated, ({ leadId }) => leadId).values()].flatMap((ofLead) =>
    ofLead
      .sort((one, other) => other.confidence - one.confidence || other.otherId - one.otherId)
      .slice(0, pairsPerLeadMax),
  );
}

/**
 * Leads with an equal key, or with an address one typo away. For each key, only the newest few are read from an index that ends
 * in the id, so that a thousand equal names cost no more than twenty. The keys are stored columns because conditions with
 * functions cannot use an index under row-level security.
 *
 * All misspelt addresses are one condition, which reads each page of the index once, and no more than twenty leads.
 */
async function findByKeys(tx: Tx, changed: Person[]): Promise<Candidate[]> {
  const wanted = await inTurns(changed, (person) => ({
    id: person.id,
    ...matchKeys(person),
    misspelt: misspeltKeys(person),
  }));
  return tx.sql<Candidate>`
    SELECT changed.id AS "leadId", other.id AS "otherId"
    FROM lead AS changed
    JOIN jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) AS key (id bigint, "phoneKey" text, "nameSorted" text,
      "nameInitial" text, "nameSound" text, "nameDomain" text, misspelt text[]) ON key.id = changed.id
    CROSS JOIN LATERAL (
      (SELECT id FROM lead WHERE email_key = changed.email_key AND id <> changed.id AND deleted_at IS NULL
        ORDER BY id DESC LIMIT ${pairsPerLeadMax})
      UNION
      (SELECT id FROM lead WHERE email_stem = changed.email_stem AND id <> changed.id AND deleted_at IS NULL
        ORDER BY id DESC LIMIT ${pairsPerLeadMax})
      UNION
      (SELECT id FROM lead WHERE mailbox_key = changed.mailbox_key AND id <> changed.id AND deleted_at IS NULL
        ORDER BY id DESC LIMIT ${pairsPerLeadMax})
      UNION
      (SELECT id FROM lead WHERE mailbox_key = ANY(key.misspelt) AND id <> changed.id AND deleted_at IS NULL
        LIMIT ${pairsPerLeadMax})
      UNION
      (SELECT id FROM lead WHERE phone = changed.phone AND id <> changed.id AND deleted_at IS NULL
        ORDER BY id DESC LIMIT ${pairsPerLeadMax})
      UNION
      (SELECT id FROM lead WHERE name_stem = changed.name_stem AND id <> changed.id AND deleted_at IS NULL
        ORDER BY id DESC LIMIT ${pairsPerLeadMax})
      UNION
      (SELECT id FROM lead WHERE phone_key = key."phoneKey" AND id <> changed.id AND deleted_at IS NULL
        ORDER BY id DESC LIMIT ${pairsPerLeadMax})
      UNION
      (SELECT id FROM lead WHERE name_sorted = key."nameSorted" AND id <> changed.id AND deleted_at IS NULL
        ORDER BY id DESC LIMIT ${pairsPerLeadMax})
      UNION
      (SELECT id FROM lead WHERE name_initial = key."nameInitial" AND id <> changed.id AND deleted_at IS NULL
        ORDER BY id DESC LIMIT ${pairsPerLeadMax})
      UNION
      (SELECT id FROM lead WHERE name_sound = key."nameSound" AND id <> changed.id AND deleted_at IS NULL
        ORDER BY id DESC LIMIT ${pairsPerLeadMax})
      UNION
      (SELECT id FROM lead WHERE name_domain = key."nameDomain" AND id <> changed.id AND deleted_at IS NULL
        ORDER BY id DESC LIMIT ${pairsPerLeadMax})) AS other
    WHERE changed.id = ANY(${changed.map(({ id }) => id)}::bigint[]) AND changed.deleted_at IS NULL`;
}

/** Pairs of these leads that are not merged. */
function findPairs(tx: Tx, leadIds: number[]): Promise<Candidate[]> {
  if (!leadIds.length) return Promise.resolve([]);
  return tx.sql<Candidate>`
    SELECT first_lead_id AS "leadId", second_lead_id AS "otherId" FROM duplicate_pair
      WHERE first_lead_id = ANY(${leadIds}::bigint[]) AND status <> 'merged'
    UNION
    SELECT first_lead_id, second_lead_id FROM duplicate_pair
      WHERE second_lead_id = ANY(${leadIds}::bigint[]) AND status <> 'merged'`;
}

/** Writes the keys of leads that an earlier release stored, or that were changed without them. */
async function writeKeys(tx: Tx, stale: Person[]): Promise<void> {
  if (!stale.length) return;
  const keys = stale.map((person) => ({ id: person.id, ...matchKeys(person) }));
  await tx.sql`
    UPDATE lead SET phone_key = key."phoneKey", name_sorted = key."nameSorted", name_initial = key."nameInitial",
      name_sound = key."nameSound", name_domain = key."nameDomain"
    FROM jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) AS key (id bigint, "phoneKey" text, "nameSorted" text,
      "nameInitial" text, "nameSound" text, "nameDomain" text)
    WHERE lead.id = key.id`;
}

/** Compares the leads of each candidate. Skips candidates with a deleted lead, so that their pairs stay unchanged. */
async function comparePairs(candidates: Candidate[], persons: Person[]): Promise<Pair[]> {
  const byId = await factsById(persons);
  const keys = new Map(
    candidates.map(({ leadId, otherId }) => {
      const [first, second] = [Math.min(leadId, otherId), Math.max(leadId, otherId)];
      return [`${first} ${second}`, { first, second }];
    }),
  );
  return [...keys.values()].flatMap(({ first, second }) => {
    const [one, other] = [byId.get(first), byId.get(second)];
    return one && other ? [{ first, second, ...compareLeads(one, other) }] : [];
  });
}

async function factsById(persons: Person[]) {
  return new Map(await inTurns(persons, (person) => [person.id, factsOf(person)] as const));
}

/** Creates pairs, updates open ones and reopens dismissed ones; returns how many were missing or differed. */
async function storePairs(tx: Tx, pairs: Pair[], mayReopen: boolean): Promise<number> {
  if (!pairs.length) return 0;
  const written = await tx.sql`
    INSERT INTO duplicate_pair (first_lead_id, second_lead_id, confidence, matched_on)
    SELECT first, second, confidence, "matchedOn" FROM jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb)
      AS row (first bigint, second bigint, confidence float, "matchedOn" text[])
    ON CONFLICT (tenant_id, environment, first_lead_id, second_lead_id) DO UPDATE
      SET confidence = excluded.confidence, matched_on = excluded.matched_on, status = 'open',
        decided_by = NULL, decided_at = NULL, version = duplicate_pair.version + 1
      WHERE (duplicate_pair.status = 'open'
          AND (duplicate_pair.matched_on <> excluded.matched_on OR duplicate_pair.confidence <> excluded.confidence))
        OR (duplicate_pair.status = 'dismissed' AND ${mayReopen} AND duplicate_pair.confidence < excluded.confidence)
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
