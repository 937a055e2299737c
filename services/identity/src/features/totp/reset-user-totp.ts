import { actingUserId } from '@tandem/caller';
import { type totp, totpDisabled } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkRank } from '../../permissions.ts';
import { endSessions } from '../auth/session.ts';
import { checkAccountReach } from '../teams/reach.ts';
import { lockUser } from '../users/user.ts';
import { mailTotpChange } from './totp-mail.ts';

export const resetUserTotp =
  (tools: Tools): Handler<typeof totp.resetUserTotp> =>
  async ({ params, caller, tx, emit, schedule, afterCommit }) => {
    const user = await lockUser(tx, params);
    // Their own is removed with a code, so that a stolen session is not enough.
    if (user.id === actingUserId(caller) || user.id === caller.userId) throw fail('forbidden');
    checkRank(caller, user.role.permissions);
    await checkAccountReach(tx, caller, user.id);
    const { count } = await tx.totp.deleteMany({ where: { userId: user.id } });
    if (!count) throw fail('totp_off');
    emit(totpDisabled, { data: { userId: user.id }, record: { id: user.id } });
    await endSessions(tx, emit, { where: { userId: user.id }, reason: 'totp_reset' });
    await mailTotpChange({ tx, schedule }, user, 'reset', tools);
    afterCommit(() => tools.invalidateCredentials({ tenantId: user.tenantId, userIds: [user.id] }));
    return { id: user.id, deleted: true };
  };
