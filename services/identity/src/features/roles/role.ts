import type { Role } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Role as RoleRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type RoleRecord = z.output<typeof Role>;

/** Loads a role with a row lock: neither the role nor its assignments change before the commit. */
export async function lockRole(tx: Tx, id: number): Promise<RoleRow> {
  const row = await tx.role.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Converts a unique violation to `name_taken`; returns any other error unchanged. */
export function nameTaken(error: unknown): unknown {
  return isTaken(error)
    ? fail('name_taken', [{ field: 'name', message: 'Must be unique; another role has this name' }])
    : error;
}
