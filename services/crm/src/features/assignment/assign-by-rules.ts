import type { Emit } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { changeLead } from '../leads/change-lead.ts';
import type { LeadRecord } from '../leads/lead.ts';
import type { RuleRecord } from './assignment-rule.ts';
import { type Candidate, chooseAssignee } from './choose-assignee.ts';

/** Assigns a locked lead by the rules, under the lock of the assignment; returns why nobody was chosen, if so. */
export async function assignByRules(
  { tx, emit }: { tx: Tx; emit: Emit },
  lead: LeadRecord,
  options: { rules: readonly RuleRecord[]; candidates: readonly Candidate[] },
): Promise<LeadRecord | 'no_matching_rule' | 'nobody_available'> {
  const chosen = await chooseAssignee(tx, lead, options);
  if (typeof chosen === 'string') return chosen;
  const { rule, user } = chosen;
  return changeLead(
    { tx, emit },
    {
      lead,
      // A rule of a team keeps the lead in this team, even if the user is in several.
      change: { assignedTo: user.id, ...(rule.teamId !== null && { teamId: rule.teamId }) },
      assignee: user,
      reason: `Assignment rule “${rule.name}”`,
    },
  );
}
