import type { ServiceClient } from '@tandem/client/internal';
import type { internalRoles, internalUsers } from '@tandem/identity-contract';
import { fail } from '@tandem/service';

/** The user of a download link, with the permissions and teams that they have now. */
export interface Recipient {
  userId: number;
  permissions: readonly string[];
  teamIds: readonly number[];
}

type Identity = Pick<ServiceClient<typeof internalUsers & typeof internalRoles>, 'findUser' | 'findUserPermissions'>;

/** Reads the user of a download link. */
export const recipientReader =
  (identity: Identity) =>
  async (
    link: { tenantId: number; environment: 'live' | 'sandbox'; userId: number | null },
    requestId: string,
  ): Promise<Recipient> => {
    const { tenantId, environment, userId } = link;
    if (userId === null) throw fail('not_found');
    const as = { tenantId, environment, requestId };
    const params = { id: userId };
    const { permissions } = await identity.findUserPermissions({ params, as });
    // A user who does not exist any more has no permissions, and no teams to read.
    const { teamIds } = permissions.length ? await identity.findUser({ params, as }) : { teamIds: [] };
    return { userId, permissions, teamIds };
  };
