import type { Caller } from '@tandem/caller';
import { partnerUpdated, type portal } from '@tandem/partner-contract';
import { hashPassword, verifyPassword } from '@tandem/passwords';
import { diff, fail, failField } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { asPartner, lockPartner } from '../partners/partner.ts';
import { type Sender, senderOf } from '../portal-accounts/letters.ts';
import { replacePassword } from '../portal-accounts/replace-password.ts';
import { portalRole } from '../portal-users/portal-role.ts';
import { asPortalUser } from '../portal-users/portal-user.ts';

/** The new password, and the hash of the one that was checked. */
type Found = { checked: string | null; passwordHash: string; sender: Sender } | undefined;

export const updatePortalMe = (tools: Tools): Handler<typeof portal.updatePortalMe, Found> => ({
  async check({ body, caller, tx }) {
    const { portalUserId, partnerId, ip } = caller;
    if (portalUserId === undefined || partnerId === undefined) throw fail('unauthenticated');
    const { password, currentPassword } = body;
    if (password === undefined) return undefined;
    if (currentPassword === undefined) throw failField('currentPassword', 'Is required for a new password');
    const user = await tx.portalUser.findFirst({ where: { id: portalUserId, partnerId } });
    // Counted like failed sign-ins, because a stolen session must not help to guess the password.
    const who = { email: `portal password of ${caller.tenantId} ${portalUserId}`, ip: ip ?? '' };
    const isCorrect = await tools.limiter.guard(who, async () =>
      (await verifyPassword(user?.passwordHash ?? undefined, currentPassword)) ? true : undefined,
    );
    if (!user || !isCorrect) throw failField('currentPassword', 'Is not the current password');
    const sender = senderOf(await tools.settingsOf(caller));
    return { checked: user.passwordHash, passwordHash: await hashPassword(password), sender };
  },
  async run({ body, found, caller, tx, emit, schedule }) {
    const { portalUserId, partnerId } = caller;
    if (portalUserId === undefined || partnerId === undefined) throw fail('unauthenticated');
    const { password, currentPassword, ...fields } = body;
    await checkOwner(tx, caller, Object.keys(fields));
    // The partner before the user, as everywhere.
    const before = await lockPartner(tx, partnerId);
    const user = await tx.portalUser.lockFirst({ where: { id: portalUserId, partnerId }, sharesKey: true });
    if (!user) throw fail('unauthenticated');
    const partner = await changeFields(tx, before, fields);
    if (partner !== before)
      emit(partnerUpdated, { data: { partnerId }, record: partner, changes: diff(before, fields).audit });
    if (!found) return { user: asPortalUser(user), partner };
    const { checked, passwordHash, sender } = found;
    if (user.passwordHash !== checked) throw fail('conflict');
    const change = { passwordHash, sender, exceptSessionId: caller.sessionId };
    return { user: await replacePassword({ tx, emit, schedule }, user, change, tools), partner };
  },
});

/** @throws 403 if somebody who is no owner changes fields of the partner */
async function checkOwner(tx: Tx, caller: Caller, fields: string[]): Promise<void> {
  const role = await portalRole(tx, caller);
  if (!role) throw fail('unauthenticated');
  if (fields.length && role !== 'owner')
    throw fail(
      'portal_role',
      fields.map((field) => ({ field, message: 'Is changed by owners only' })),
    );
}

type Fields = Partial<Pick<ReturnType<typeof asPartner>, 'firstName' | 'lastName' | 'phone' | 'company'>>;

async function changeFields(tx: Tx, before: ReturnType<typeof asPartner>, fields: Fields) {
  const { isEmpty, values } = diff(before, fields);
  if (isEmpty) return before;
  const [row] = await tx.partner.updateManyAndReturn({
    where: { id: before.id },
    data: { ...values, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return asPartner(row);
}
