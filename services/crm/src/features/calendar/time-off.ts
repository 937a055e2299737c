import { fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';

export const timeOffDaysMax = 366;

export async function lockTimeOff(tx: Tx, id: number) {
  const found = await tx.timeOff.lockFirst({ where: { id } });
  if (!found) throw fail('not_found');
  return found;
}

/** Fails with 409 if the user has other time off in a period. Requests for the same user wait for each other. */
export async function checkOverlap(tx: Tx, time: { id?: number; userId: number; from: Date; to: Date }): Promise<void> {
  const { id, userId, from, to } = time;
  await lockNamed(tx, 'time_off', [`${userId}`]);
  const where = { userId, from: { lt: to }, to: { gt: from }, ...(id !== undefined && { id: { not: id } }) };
  const other = await tx.timeOff.findFirst({ where, select: { id: true } });
  if (other) throw fail('time_off_overlaps', [{ field: 'from', message: 'Overlaps other time off of the user' }]);
}
