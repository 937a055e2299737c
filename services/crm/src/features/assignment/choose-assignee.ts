import type { TenantRequest } from '@tandem/client/per-tenant';
import { meets } from '@tandem/crm-contract';
import type { InternalUser } from '@tandem/identity-contract';
import type { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { isAway } from '../calendar/working-hours.ts';
import type { LeadRecord } from '../leads/lead.ts';
import type { RuleRecord } from './assignment-rule.ts';
import type { OpenLeads } from './open-leads.ts';

/** An active user to whom rules can assign leads. */
export type Candidate = Pick<z.output<typeof InternalUser>, 'id' | 'teamIds'>;

/** The active users of these rules; a call to identity, so outside of a transaction. */
export async function findCandidates(
  { identity }: Peers,
  rules: readonly RuleRecord[],
  as: TenantRequest,
): Promise<Candidate[]> {
  const teamIds = [...new Set(rules.flatMap(({ teamId }) => teamId ?? []))];
  const userIds = [...new Set(rules.flatMap(({ teamId, userIds: named }) => (teamId === null ? named : [])))];
  if (!teamIds.length && !userIds.length) return [];
  return identity.findAssignees({ body: { userIds, teamIds }, as });
}

/** The rules, candidates and open leads that decide who gets a lead. */
export interface Choice {
  rules: readonly RuleRecord[];
  candidates: readonly Candidate[];
  openLeads: OpenLeads;
}

/** The user of a rule who gets the lead next. */
export interface Chosen {
  rule: RuleRecord;
  user: Candidate;
}

/**
 * Chooses by the first rule that matches the lead and has an available user, and records the turn of the rule. Runs under
 * the lock of the assignment.
 * @returns why nobody was chosen, if so
 */
export async function chooseAssignee(
  tx: Tx,
  lead: LeadRecord,
  { rules, candidates, openLeads }: Choice,
): Promise<Chosen | 'no_matching_rule' | 'nobody_available'> {
  const matching = rules.filter(({ match }) => match.every((condition) => meets(lead, condition)));
  const away = await isAway(tx, matching.length ? candidates.map(({ id }) => id) : [], new Date());
  for (const rule of matching) {
    const ofRule = candidates.filter((one) => isOf(rule, one) && !away.has(one.id));
    const user = await nextUser(tx, rule, { lead, candidates: ofRule, openLeads });
    if (user) return { rule, user };
  }
  return matching.length ? 'nobody_available' : 'no_matching_rule';
}

function isOf({ teamId, userIds }: RuleRecord, { id, teamIds }: Candidate): boolean {
  if (userIds.length && !userIds.includes(id)) return false;
  return teamId === null || teamIds.includes(teamId);
}

type Selection = Pick<Choice, 'candidates' | 'openLeads'> & { lead: LeadRecord };

interface Standing {
  user: Candidate;
  lastTurn: number;
  credit: number;
  openLeads: number;
  weight: number;
}

async function nextUser(tx: Tx, rule: RuleRecord, of: Selection): Promise<Candidate | undefined> {
  const standings = (await readStandings(tx, rule, of)).filter(
    ({ openLeads }) => rule.capacity === null || openLeads < rule.capacity,
  );
  if (!standings.length) return undefined;
  // Each user gains their weight, and the chosen one pays the sum of all: a smooth weighted round robin.
  const total = standings.reduce((sum, { weight }) => sum + weight, 0);
  const earned = standings.map((one) => ({ ...one, credit: one.credit + one.weight }));
  const [first] = earned.sort(orderOf(rule.method));
  const chosen = first as Standing;
  await writeTurn(tx, rule, {
    userId: chosen.user.id,
    credits:
      rule.method === 'weighted'
        ? earned.map((one) => ({ userId: one.user.id, credit: one === chosen ? one.credit - total : one.credit }))
        : [],
  });
  return chosen.user;
}

/** Sorts the next user first. Equal users take turns. */
function orderOf(method: RuleRecord['method']): (one: Standing, other: Standing) => number {
  const byTurn = (one: Standing, other: Standing) => one.lastTurn - other.lastTurn || one.user.id - other.user.id;
  if (method === 'least_busy') return (one, other) => one.openLeads - other.openLeads || byTurn(one, other);
  if (method === 'weighted') return (one, other) => other.credit - one.credit || byTurn(one, other);
  return byTurn;
}

/** The turns of the users, and their open leads if the rule reads them. The lead itself does not count. */
async function readStandings(
  tx: Tx,
  { id, capacity, method, weights }: RuleRecord,
  { lead, candidates, openLeads }: Selection,
): Promise<Standing[]> {
  const userIds = candidates.map((one) => one.id);
  if (!userIds.length) return [];
  const turns = await tx.assignmentTurn.findMany({ where: { ruleId: id, userId: { in: userIds } } });
  const turnOf = new Map(turns.map((turn) => [turn.userId, turn]));
  const isCounted = capacity !== null || method === 'least_busy';
  const openLeadsOf = isCounted ? await openLeads.of(userIds, lead) : () => 0;
  const weightOf = new Map(weights.map(({ userId, weight }) => [userId, weight]));
  return candidates.map((user) => ({
    user,
    lastTurn: turnOf.get(user.id)?.lastTurn ?? 0,
    credit: turnOf.get(user.id)?.credit ?? 0,
    openLeads: openLeadsOf(user.id),
    weight: weightOf.get(user.id) ?? 1,
  }));
}

/** Counts a turn of the rule, and stores it for the user who got it. */
async function writeTurn(
  tx: Tx,
  { id: ruleId }: RuleRecord,
  { userId, credits }: { userId: number; credits: { userId: number; credit: number }[] },
): Promise<void> {
  await tx.sql`
    WITH next AS (UPDATE assignment_rule SET turn = turn + 1 WHERE id = ${ruleId}::bigint RETURNING turn)
    INSERT INTO assignment_turn (rule_id, user_id, last_turn)
    SELECT ${ruleId}::bigint, ${userId}::bigint, turn FROM next
    ON CONFLICT (tenant_id, environment, rule_id, user_id) DO UPDATE SET last_turn = excluded.last_turn`;
  if (!credits.length) return;
  await tx.sql`
    INSERT INTO assignment_turn (rule_id, user_id, last_turn, credit)
    SELECT ${ruleId}::bigint, "userId", 0, credit
    FROM jsonb_to_recordset(${JSON.stringify(credits)}::jsonb) AS row ("userId" bigint, credit int)
    ON CONFLICT (tenant_id, environment, rule_id, user_id) DO UPDATE SET credit = excluded.credit`;
}
