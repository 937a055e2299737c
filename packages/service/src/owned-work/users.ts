import type { ServiceClient } from '@tandem/client/internal';
import type { internalUsers } from '@tandem/identity-contract';

/** Client for the users of identity. */
export type Users = Pick<ServiceClient<typeof internalUsers>, 'findUser'>;
