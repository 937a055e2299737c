import { actingUserId } from '@tandem/caller';
import type { account } from '@tandem/identity-contract';
import { hashPassword } from '@tandem/passwords';
import { fail, failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkRank } from '../../permissions.ts';
import { checkAccountReach } from '../teams/reach.ts';
import { lockUser } from '../users/user.ts';
import { checkCurrentPassword, replacePassword } from './password.ts';

export const setUserPassword = (
  tools: Tools,
): Handler<typeof account.setUserPassword, { checked?: string; passwordHash: string }> => ({
  async check({ params, body, caller, tx }) {
    const isOwn = params.id === actingUserId(caller) || params.id === caller.userId;
    if (!isOwn) return { passwordHash: await hashPassword(body.new) };
    // A stolen session or key must not be enough to take over its own account.
    if (body.current === undefined) throw failField('current', 'Is required for your own password');
    const who = { userId: params.id, password: body.current, ip: caller.ip, field: 'current' };
    const checked = await checkCurrentPassword(tx, who, tools);
    return { checked, passwordHash: await hashPassword(body.new) };
  },
  async run({ params, caller, tx, emit, schedule, afterCommit, found: { checked, passwordHash } }) {
    const user = await lockUser(tx, params);
    checkRank(caller, user.role.permissions);
    if (checked === undefined) await checkAccountReach(tx, caller, user.id);
    if (checked !== undefined && checked !== user.passwordHash) throw fail('conflict');
    const by = checked === undefined ? ('administrator' as const) : ('user' as const);
    const keepSessionId = checked === undefined ? undefined : caller.sessionId;
    await replacePassword({ tx, emit, schedule }, user, { passwordHash, by, keepSessionId }, tools);
    afterCommit(() => tools.invalidateCredentials({ tenantId: user.tenantId, userIds: [user.id] }));
    return { changed: true };
  },
});
