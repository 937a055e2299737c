import type { account } from '@tandem/identity-contract';
import { hashPassword } from '@tandem/passwords';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockUser } from '../users/user.ts';
import { checkCurrentPassword, replacePassword } from './password.ts';

export const changeOwnPassword = (
  tools: Tools,
): Handler<typeof account.changeOwnPassword, { checked: string; passwordHash: string }> => ({
  async check({ body, caller, tx }) {
    const who = { userId: caller.userId ?? 0, password: body.current, ip: caller.ip, field: 'current' };
    const checked = await checkCurrentPassword(tx, who, tools);
    return { checked, passwordHash: await hashPassword(body.new) };
  },
  async run({ caller, tx, emit, schedule, afterCommit, found: { checked, passwordHash } }) {
    const user = await lockUser(tx, { id: caller.userId ?? 0 });
    if (user.passwordHash !== checked) throw fail('conflict');
    const change = { passwordHash, by: 'user' as const, keepSessionId: caller.sessionId };
    await replacePassword({ tx, emit, schedule }, user, change, tools);
    afterCommit(() => tools.invalidateCredentials({ tenantId: user.tenantId, userIds: [user.id] }));
    return { changed: true };
  },
});
