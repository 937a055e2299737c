import { actingUserId } from '@tandem/caller';
import { portalUserCreated, portalUserInvited, type portalUsers } from '@tandem/partner-contract';
import { hashPassword } from '@tandem/passwords';
import type { Handler, Tools } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { type Sender, senderOf } from '../portal-accounts/letters.ts';
import { mailLimit, mailLink } from '../portal-accounts/portal-mail.ts';
import { addPortalUser } from './add-portal-user.ts';
import { asPortalUser, portalUserEvent } from './portal-user.ts';

/** The hash of the password, or without one what the invitation needs. */
type Found = { passwordHash: string } | { sender: Sender };

export const createPortalUser = (tools: Tools): Handler<typeof portalUsers.createPortalUser, Found> => ({
  async check({ params, body, caller, tx }) {
    await readPartner(tx, params.id);
    if (body.password !== undefined) return { passwordHash: await hashPassword(body.password) };
    return { sender: senderOf(await tools.settingsOf(caller)) };
  },
  async run({ params, body: { email, role }, found, caller, tx, emit, schedule }) {
    const { id: partnerId } = await readPartner(tx, params.id);
    const passwordHash = 'passwordHash' in found ? found.passwordHash : null;
    const createdBy = actingUserId(caller) ?? null;
    const row = await addPortalUser(tx, { partnerId, email, role, passwordHash, createdBy });
    const user = asPortalUser(row);
    emit(portalUserCreated, portalUserEvent(user));
    if ('passwordHash' in found) return user;
    const invitation = { purpose: 'invitation', sender: found.sender } as const;
    if (!(await mailLink({ tx, schedule }, row, invitation, tools))) throw mailLimit();
    emit(portalUserInvited, portalUserEvent(user));
    return user;
  },
});
