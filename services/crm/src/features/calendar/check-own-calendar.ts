import type { Caller } from '@tandem/caller';
import { failField, reachOf } from '@tandem/service';

/** Fails with a field error for a caller who can change their own calendar only, and names somebody else. */
export function checkOwnCalendar(caller: Caller, field: string, userId: number): void {
  const reach = reachOf(caller, 'calendar:write');
  if (reach !== 'all' && (reach === 'none' || reach.userId !== userId))
    throw failField(field, 'Must be your own id, because you can change your own calendar only');
}
