import { plans } from '@tandem/contract';

/** The storage of a plan in bytes; null without a limit, undefined if identity has not answered for the tenant yet. */
export type StorageLimit = number | null | undefined;

type Known = Exclude<StorageLimit, undefined>;

// The smallest storage that a plan has: the limit of a tenant whose plan was never known here.
const smallestLimit = Math.min(...Object.values(plans).map(({ storageBytes }) => storageBytes ?? Infinity));

/** The limit that applies: the current one, or the last one that was known, or that of the smallest plan. */
export function limitOf(current: StorageLimit, stored: { limitBytes: Known; limitKnownAt: Date | null } | null): Known {
  if (current !== undefined) return current;
  return stored?.limitKnownAt ? stored.limitBytes : smallestLimit;
}
