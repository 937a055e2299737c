import type { PortalUser } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { PortalUser as PortalUserRow } from '../../generated/client.ts';

/** A row as the contract shows it: without the hash of its password. */
export function asPortalUser({ passwordHash, ...row }: PortalUserRow): z.output<typeof PortalUser> {
  return row as unknown as z.output<typeof PortalUser>;
}
