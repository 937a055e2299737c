import type { Caller } from '@tandem/caller';

/** The caller as another service is told of them. */
export function asService({ type, permissions, ...as }: Caller): Omit<Caller, 'type' | 'permissions'> {
  return as;
}
