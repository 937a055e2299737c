import { portalUserInvited, type portalUsers } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { type Sender, senderOf } from '../portal-accounts/letters.ts';
import { mailLimit, mailLink } from '../portal-accounts/portal-mail.ts';
import { secondsToNextLink } from '../portal-accounts/portal-token.ts';
import { asPortalUser, isInvited, lockPortalUser, portalUserEvent, readPortalUser } from './portal-user.ts';

export const invitePortalUser = (tools: Tools): Handler<typeof portalUsers.invitePortalUser, Sender> => ({
  async check({ params, caller, tx }) {
    await readPortalUser(tx, params);
    return senderOf(await tools.settingsOf(caller));
  },
  async run({ params, found: sender, tx, emit, schedule, ifMatch }) {
    const row = await lockPortalUser(tx, params);
    ifMatch(row);
    if (!isInvited(row)) throw fail('already_active');
    const retryAfter = await secondsToNextLink(tx, row.id, 'invitation');
    if (retryAfter !== undefined) throw fail('too_many_links', [], { retryAfter });
    if (!(await mailLink({ tx, schedule }, row, { purpose: 'invitation', sender }, tools))) throw mailLimit();
    const user = asPortalUser(row);
    emit(portalUserInvited, portalUserEvent(user));
    return user;
  },
});
