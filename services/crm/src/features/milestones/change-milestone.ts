import { actingUserId, type Caller } from '@tandem/caller';
import { milestoneCompleted, milestoneReopened, milestoneStates, milestoneUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { diff, fail, transitionError } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { eventDataOf, type MilestoneRecord, writeMilestone } from './milestone.ts';

interface Context {
  tx: Tx;
  emit: Emit;
  caller: Caller;
}

type Change = { [Field in keyof MilestoneRecord]?: MilestoneRecord[Field] | undefined };

/** Completes or reopens a locked milestone; one that has the status already is refused. */
export function setStatus(
  context: Context,
  milestone: MilestoneRecord,
  status: MilestoneRecord['status'],
): Promise<MilestoneRecord> {
  checkTransition(milestone, status);
  return changeMilestone(context, milestone, { status });
}

/** Writes a change of a locked milestone as one version, with its events. A change that changes nothing is none. */
export async function changeMilestone(
  { tx, emit, caller }: Context,
  milestone: MilestoneRecord,
  change: Change,
): Promise<MilestoneRecord> {
  const { isEmpty, values, audit } = diff(milestone, change);
  if (isEmpty) return milestone;
  if (values.status) checkTransition(milestone, values.status);
  const after = await writeMilestone(tx, milestone.id, { ...values, ...resultOf(values, caller) });
  const data = eventDataOf(after);
  const { status, ...updates } = audit;
  if (Object.keys(updates).length) emit(milestoneUpdated, { data, record: after, changes: updates });
  if (status)
    emit(values.status === 'completed' ? milestoneCompleted : milestoneReopened, {
      data,
      record: after,
      changes: { status },
    });
  return after;
}

function checkTransition({ status, allowedTransitions }: MilestoneRecord, to: MilestoneRecord['status']): void {
  if (!milestoneStates.has(status, to)) throw fail('transition_refused', [transitionError(status, allowedTransitions)]);
}

/** The columns about the completion, for a change of the status. */
function resultOf({ status }: Pick<Change, 'status'>, caller: Caller) {
  if (status === 'completed') return { completedAt: new Date(), completedBy: actingUserId(caller) ?? null };
  return status ? { completedAt: null, completedBy: null } : {};
}
