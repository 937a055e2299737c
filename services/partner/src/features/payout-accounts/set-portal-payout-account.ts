import { randomUUID } from 'node:crypto';
import { payoutAccountChanged, type payoutAccounts } from '@tandem/partner-contract';
import { verifyPassword } from '@tandem/passwords';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockPartner } from '../partners/partner.ts';
import { readOwnPartner } from '../portal/own-partner.ts';
import { notifyOwnersJob } from '../portal-users/notify-owners.job.ts';
import { flagReferralsJob } from '../referrals/flag-referrals.job.ts';
import { columnsOf } from './account.ts';
import { readAccount } from './read-account.ts';

/** The user whose password was verified. */
interface Verified {
  userId: number;
  passwordHash: string | null;
}

/** `check` verifies the password, because hashing takes longer than a transaction should. */
export const setPortalPayoutAccount = ({
  limiter,
  seal,
}: Tools): Handler<typeof payoutAccounts.setPortalPayoutAccount, Verified> => ({
  async check({ body, caller, tx }) {
    const partner = await readOwnPartner(tx, caller);
    const { portalUserId } = caller;
    const user =
      portalUserId && (await tx.portalUser.findFirst({ where: { id: portalUserId, partnerId: partner.id } }));
    if (!user) throw fail('unauthenticated');
    const { tenantId, ip = '' } = caller;
    const isCorrect = await limiter.guard({ email: `portal ${tenantId} ${user.email}`, ip }, async () =>
      (await verifyPassword(user.passwordHash ?? undefined, body.password)) ? true : undefined,
    );
    if (!isCorrect) throw fail('wrong_password', [{ field: 'password', message: 'The password is wrong' }]);
    return { userId: user.id, passwordHash: user.passwordHash };
  },
  async run({ body, caller, tx, emit, schedule, found: { userId, passwordHash } }) {
    const { holder, iban, bic = null } = body;
    // Two changes at once are made one after the other.
    const partner = await lockPartner(tx, (await readOwnPartner(tx, caller)).id);
    const partnerId = partner.id;
    // The user may have been deleted, or got another role or password, since the password was verified.
    const user = await tx.portalUser.lockFirst({ where: { id: userId, partnerId, role: 'owner' }, sharesKey: true });
    if (!user || user.passwordHash !== passwordHash) throw fail('unauthenticated');
    const before = await readAccount(tx, partnerId);
    const columns = columnsOf(seal, randomUUID(), { holder, iban, bic });
    const same = { partnerId, replacedAt: null, fingerprint: columns.fingerprint };
    const isSame = (await tx.payoutAccount.count({ where: same })) > 0;
    await tx.payoutAccount.updateMany({ where: { partnerId, replacedAt: null }, data: { replacedAt: new Date() } });
    await tx.payoutAccount.create({ data: { partnerId, ...columns } });
    const after = await readAccount(tx, partnerId);
    emit(payoutAccountChanged, {
      data: { partnerId },
      record: partner,
      changes: { payoutAccount: { from: before.account, to: after.account } },
    });
    if (!isSame) await schedule(flagReferralsJob, [{ partnerId, after: 0 }]);
    await schedule(notifyOwnersJob, [{ partnerId, notice: 'payout_account', at: new Date() }]);
    return after;
  },
});
