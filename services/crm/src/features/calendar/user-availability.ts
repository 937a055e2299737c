import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { asService, fail, reachOf } from '@tandem/service';
import type { UserAvailability as AvailabilityRow } from '../../generated/client.ts';
import type { Peers } from '../../handler.ts';
import { defaultWeekly, storedWeekly } from './working-hours.ts';

/** Fails with 404 unless the id is a user whose working hours the permission of the caller covers. */
export async function requireUser(
  { identity }: Pick<Peers, 'identity'>,
  id: number,
  caller: Caller,
  permission: string,
): Promise<void> {
  const reach = reachOf(caller, permission);
  if (reach !== 'all' && (reach === 'none' || reach.userId !== id)) throw fail('not_found');
  if (!(await orAbsent(identity.findUser({ params: { id }, as: asService(caller) })))) throw fail('not_found');
}

/** Converts a row to the contract's `UserAvailability`. */
export function asAvailability(row: AvailabilityRow) {
  return { ...row, weekly: storedWeekly.parse(row.weekly), isDefault: false };
}

/** The working hours of a user who has not set them. */
export function defaultAvailability(userId: number, timezone: string) {
  return {
    userId,
    timezone,
    weekly: defaultWeekly,
    bufferBeforeMinutes: 0,
    bufferAfterMinutes: 0,
    isDefault: true,
    version: 0,
    updatedAt: null,
  };
}
