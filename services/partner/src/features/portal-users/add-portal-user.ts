import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { PortalUser } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

type NewPortalUser = Pick<PortalUser, 'partnerId' | 'email' | 'role' | 'passwordHash' | 'createdBy'>;

/**
 * Stores a portal user.
 * @throws 409 if another portal user of the tenant has the address
 */
export function addPortalUser(tx: Tx, data: NewPortalUser): Promise<PortalUser> {
  return tx.portalUser.create({ data }).catch((error: unknown) => {
    throw isTaken(error)
      ? fail('email_taken', [
          { field: 'email', message: 'Must be unique; another portal user has this e-mail address' },
        ])
      : error;
  });
}
