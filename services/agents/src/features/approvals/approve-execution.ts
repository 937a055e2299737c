import type { AgentActionValue, approvals } from '@tandem/agents-contract';
import { actingUserId } from '@tandem/caller';
import { failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkLeadReadable } from '../../lead-reach.ts';
import { checkMayPerform } from '../actions/permissions.ts';
import { checkScript } from '../calls/check-script.ts';
import { asApproval, decide } from './approval.ts';

export const approveExecution = (tools: Tools): Handler<typeof approvals.approveExecution> => ({
  async check({ params, body: { editedAction }, caller, tx }) {
    const row = await tx.approval.findFirst({ where: { id: params.id } });
    await checkLeadReadable(tools, caller, row);
    if (!row) return;
    const { proposedAction, leadId } = asApproval(row);
    if (editedAction) checkEdited(editedAction, proposedAction);
    await checkMayPerform(tools, caller, { action: editedAction ?? proposedAction, leadId });
  },
  run({ params, body: { comment = null, editedAction }, caller, ...context }) {
    const { tenantId = 0, environment } = caller;
    const decision = {
      status: 'approved' as const,
      comment,
      ...(editedAction && { editedAction }),
      decidedBy: actingUserId(caller) ?? null,
      scope: { tenantId, environment },
    };
    return decide(context, params.id, decision);
  },
});

/** An approver can change how the agent acts, and not what it does. */
function checkEdited(edited: AgentActionValue, proposed: AgentActionValue | null): void {
  if (!proposed) throw failField('editedAction', 'Must be left out: the approval has no action');
  if (edited.type !== proposed.type)
    throw failField('editedAction.type', `Must be ${proposed.type}, as in proposedAction`);
  if (edited.type === 'call') checkScript('editedAction.script', edited.script);
}
