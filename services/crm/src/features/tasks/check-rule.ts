import type { Caller } from '@tandem/caller';
import type { EscalationRule } from '@tandem/crm-contract';
import { checkUser, failField } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { z } from 'zod';
import { checkTeam } from '../../check-team.ts';
import type { Peers, Tx } from '../../handler.ts';
import { leadOfTeamFor } from './escalation.ts';

type Rule = z.output<typeof EscalationRule>;

/** Fails unless the teams and users of a rule can be used. */
export async function checkRuleTarget(
  peers: Peers,
  { match, target }: Partial<Pick<Rule, 'match' | 'target'>>,
  caller: Caller,
): Promise<void> {
  await checkTeam(peers, match?.teamId, caller, 'match.teamId');
  if (!target) return;
  const { type, userId } = target;
  if (type === 'user') {
    if (!userId) throw failField('target.userId', 'Is required for the target type user');
    await checkUser(peers, 'target.userId', userId, caller);
    return;
  }
  if (userId) throw failField('target.userId', 'Applies only to the target type user; omit this field');
  if (match?.teamId && !(await leadOfTeamFor(peers, match.teamId, caller)))
    throw failField('target.type', 'The team has no lead; set one, or send a user as the target');
}

/** The columns of the fields of a rule that a request sent. */
export function ruleColumnsOf({ match, target }: Partial<Pick<Rule, 'match' | 'target'>>) {
  return {
    ...(match && { type: match.type ?? null, priority: match.priority ?? null, teamId: match.teamId ?? null }),
    ...(target && { targetUserId: target.userId ?? null }),
  };
}

/** Serializes the creation of rules: two requests must not both find room for one more. */
export async function lockRules(tx: Tx): Promise<void> {
  await lockNamed(tx, 'escalation_rule');
}
