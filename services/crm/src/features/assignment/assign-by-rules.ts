import type { Emit } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { changeLead } from '../leads/change-lead.ts';
import type { LeadRecord } from '../leads/lead.ts';
import { type Choice, chooseAssignee } from './choose-assignee.ts';

/** Assigns a locked lead by the rules, under the lock of the assignment; returns why nobody was chosen, if so. */
export async function assignByRules(
  { tx, emit }: { tx: Tx; emit: Emit },
  lead: LeadRecord,
  choice: Choice,
): Promise<LeadRecord | 'no_matching_rule' | 'nobody_available'> {
  const chosen = await chooseAssignee(tx, lead, choice);
  if (typeof chosen === 'string') return chosen;
  const { rule, user } = chosen;
  choice.openLeads.assigned(lead, user.id);
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
