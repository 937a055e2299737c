import type { users } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { applyStatusChange, checkStatusChange } from './change-status.ts';
import { lockUser, withTeams, writeUser } from './user.ts';

export const activateUser =
  (tools: Tools): Handler<typeof users.activateUser> =>
  async ({ params, body, caller, tx, emit, ifMatch, afterCommit }) => {
    const user = await lockUser(tx, params);
    ifMatch(user);
    await checkStatusChange({ tx, caller, user }, 'active', undefined);
    const updated = await withTeams(tx, await writeUser(tx, user.id, { status: 'active', successorId: null }));
    const change = { status: 'active' as const, reason: body.reason ?? null };
    await applyStatusChange({ tx, emit }, { before: user, updated, successor: undefined }, change);
    afterCommit(() => tools.invalidateCredentials({ tenantId: user.tenantId, userIds: [user.id] }));
    return updated;
  };
