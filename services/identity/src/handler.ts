import type { Pepper } from '@tandem/api-keys';
import type { Operation } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import type { LoginLimiter } from '@tandem/passwords';
import type { Actor, Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { InvalidateCredentials } from './credential-invalidation.ts';
import type { PrismaClient } from './generated/client.ts';
import type { Tokens } from './tokens.ts';

/** Tenant-bound database client of identity. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of an identity operation; `Found` is the result of its `check`, which runs before the transaction. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;

/** Dependencies of identity's handlers other than the database. */
export interface Tools {
  pepper: Pepper;
  ids: IdCodec;
  tokens: Tokens;
  invalidateCredentials: InvalidateCredentials;
  limiter: LoginLimiter;
  /** Runs work without delaying the response; failures are logged. */
  inBackground(work: () => Promise<void>): void;
}

/** The event actor for a user who signs up, signs in or refreshes a session. */
export function asActor(user: { id: number; firstName: string; lastName: string }): Actor {
  return { type: 'user', userId: user.id, name: nameOf(user) };
}

/** Full name, as shown in the audit log. */
export function nameOf({ firstName, lastName }: { firstName: string; lastName: string }): string {
  return `${firstName} ${lastName}`;
}
