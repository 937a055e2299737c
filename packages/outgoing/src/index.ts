// Calls to addresses that users name, guarded against server-side request forgery.

export { BlockedAddressError, createTarget, isPublicAddress, NoAddressError, type Target } from './guard.ts';
export { createGuardedConnect, type GuardedConnect, type ServerAddress } from './guarded-connect.ts';
export { createGuardedFetch } from './guarded-fetch.ts';
export { createResolve, type Resolve } from './resolve.ts';
