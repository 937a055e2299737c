import { actingUserId } from '@tandem/caller';
import { portalUserCreated, type portalUsers } from '@tandem/partner-contract';
import { hashPassword } from '@tandem/passwords';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { asPortalUser } from './portal-user.ts';

export const createPortalUser: Handler<typeof portalUsers.createPortalUser, string> = {
  async check({ params, body, tx }) {
    await readPartner(tx, params.id);
    return hashPassword(body.password);
  },
  async run({ params, body, found: passwordHash, caller, tx, emit }) {
    const { email, role } = body;
    const { id: partnerId } = await readPartner(tx, params.id);
    const row = await tx.portalUser
      .create({ data: { partnerId, email, role, passwordHash, createdBy: actingUserId(caller) ?? null } })
      .catch((error: unknown) => {
        throw isTaken(error)
          ? fail('email_taken', [
              { field: 'email', message: 'Must be unique; another portal user has this e-mail address' },
            ])
          : error;
      });
    const user = asPortalUser(row);
    emit(portalUserCreated, { data: { portalUserId: user.id, partnerId }, record: user });
    return user;
  },
};
