import type { Caller } from '@tandem/caller';
import { fail } from '@tandem/service';

/** The filter for the open sessions of the caller. An API key has none, and the gateway rejects it before. */
export function openSessionsOf({ userId }: Caller) {
  if (userId === undefined) throw fail('not_found');
  return { userId, endedAt: null, expiresAt: { gt: new Date() } };
}
