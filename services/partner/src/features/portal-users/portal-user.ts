import { PortalUser } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { PortalUser as PortalUserRow } from '../../generated/client.ts';

const columns = PortalUser.pick({ role: true });

/** Converts a row to the contract's `PortalUser`, without the password hash. */
export function asPortalUser({ passwordHash, ...row }: PortalUserRow): z.output<typeof PortalUser> {
  return { ...row, ...columns.parse(row) };
}
