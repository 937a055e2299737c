import type { Role } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Role as RoleRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type RoleRecord = z.output<typeof Role>;

/** The role under lock: neither it nor who has it changes before the commit. */
export async function lockRole(tx: Tx, id: number): Promise<RoleRow> {
  const row = await tx.role.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** The refusal for a name that another role has; any other error as it is. */
export function nameTaken(error: unknown): unknown {
  return isTaken(error) ? fail('name_taken', [{ field: 'name', message: 'Another role has this name' }]) : error;
}
