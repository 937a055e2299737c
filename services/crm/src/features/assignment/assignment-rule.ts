import type { Caller } from '@tandem/caller';
import { type FieldError, unknownId } from '@tandem/contract';
import { AssignmentRule, conditionErrors } from '@tandem/crm-contract';
import { asService, fail } from '@tandem/service';
import { z } from 'zod';
import { checkTeam } from '../../check-team.ts';
import type { AssignmentRule as RuleRow } from '../../generated/client.ts';
import type { Peers, Tx } from '../../handler.ts';

export type RuleRecord = z.output<typeof AssignmentRule>;

const { weights } = AssignmentRule.shape;
// With internal ids, which the schema of the contract would decode.
const columns = AssignmentRule.pick({ match: true, method: true }).extend({
  weights: z.array(weights.element.extend({ userId: z.int() })),
});

/** Converts a row to the contract's `AssignmentRule`. */
export function asRule(row: RuleRow): RuleRecord {
  return { ...row, ...columns.parse(row) };
}

/** The active rules in the order in which they are tried. */
export async function activeRules(tx: Tx, which: { applyToNew?: true } = {}): Promise<RuleRecord[]> {
  const rows = await tx.assignmentRule.findMany({
    where: { active: true, ...which },
    orderBy: [{ order: 'asc' }, { id: 'asc' }],
  });
  return rows.map(asRule);
}

/**
 * Locks the assignment by rules of the tenant: rules change, and leads are assigned, one after the other. Turns are
 * exactly fair, and the open leads of a user are counted under the lock.
 */
export async function lockAssignment(tx: Tx): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('lead assignment',
    platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
}

interface References {
  teamId?: number | null | undefined;
  userIds?: number[] | undefined;
  weights?: RuleRecord['weights'] | undefined;
}

/** Fails unless the team and the users that a request names exist and the users are active. */
export async function checkReferences(peers: Peers, body: References, caller: Caller): Promise<void> {
  await checkTeam(peers, body.teamId, caller);
  const { userIds = [], weights = [] } = body;
  const named = [...new Set([...userIds, ...weights.map(({ userId }) => userId)])];
  if (!named.length) return;
  const found = await peers.identity.findAssignees({ body: { userIds: named, teamIds: [] }, as: asService(caller) });
  const active = new Set(found.map(({ id }) => id));
  const errors = [
    ...userIds.map((id, index) => ({ id, field: `userIds.${index}` })),
    ...weights.map(({ userId }, index) => ({ id: userId, field: `weights.${index}.userId` })),
  ].flatMap(({ id, field }) =>
    active.has(id) ? [] : [{ field, message: `${unknownId('user')}, or the user is not active` }],
  );
  if (errors.length) throw fail('validation_failed', errors);
}

type RuleContent = Pick<RuleRecord, 'match' | 'teamId' | 'userIds' | 'method' | 'weights'>;

/** Fails unless the fields of a rule fit together. */
export function checkRule({ match, teamId, userIds, method, weights }: RuleContent): void {
  const errors: FieldError[] = match.flatMap((condition, index) => conditionErrors(condition, `match.${index}.`));
  if (teamId === null && !userIds.length)
    errors.push({ field: 'teamId', message: 'Send teamId, userIds, or both: somebody must get the leads' });
  if (weights.length && method !== 'weighted')
    errors.push({ field: 'weights', message: 'Applies only to the method weighted; omit it' });
  const weighted = weights.map(({ userId }) => userId);
  if (new Set(weighted).size < weighted.length)
    errors.push({ field: 'weights', message: 'Must have each user at most once' });
  if (teamId === null && weighted.some((id) => !userIds.includes(id)))
    errors.push({ field: 'weights', message: 'Must have users of userIds only' });
  if (errors.length) throw fail('validation_failed', errors);
}
