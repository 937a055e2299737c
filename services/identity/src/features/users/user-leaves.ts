import type { OpenWork } from '@tandem/contract';
import type { users } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import {
  applyStatusChange,
  checkMayHandOver,
  checkStatusChange,
  lockWithSuccessor,
  openWorkOf,
} from './change-status.ts';
import { lockReporting } from './manager.ts';
import { withTeams, writeUser } from './user.ts';

/**
 * The handler of an operation after which a user may no longer sign in: a successor takes over the work, or nothing is
 * left.
 */
export const userLeaves = (
  tools: Tools,
  status: 'suspended' | 'deactivated',
): Handler<typeof users.suspendUser | typeof users.deactivateUser, OpenWork | undefined> => ({
  check: ({ params, body, caller }) => openWorkOf(tools, caller, { userId: params.id, reassignTo: body.reassignTo }),
  async run({ params, body, caller, tx, emit, ifMatch, afterCommit, found: work }) {
    if (body.reassignTo) checkMayHandOver(caller);
    await lockReporting(tx);
    const { user, successor } = await lockWithSuccessor(tx, params.id, body.reassignTo);
    ifMatch(user);
    await checkStatusChange({ tx, caller, user }, status, work);
    const updated = await withTeams(
      tx,
      await writeUser(tx, user.id, { status, successorId: successor?.id ?? user.successorId }),
    );
    await applyStatusChange(
      { tx, emit },
      { before: user, updated, successor },
      { status, reason: body.reason ?? null },
    );
    afterCommit(() => tools.invalidateCredentials({ tenantId: user.tenantId, userIds: [user.id] }));
    return updated;
  },
});
