import type { Pepper } from '@tandem/api-keys';
import type { Operation } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import type { LoginLimiter } from '@tandem/passwords';
import type { Actor, Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { CredentialNews } from './credential-news.ts';
import type { PrismaClient } from './generated/client.ts';
import type { Tokens } from './tokens.ts';

/** The tenant-bound database of identity. */
export type Tx = TenantTx<PrismaClient>;
/** The code of one of identity's operations. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;

/** What identity's handlers use beside the database. */
export interface Tools {
  pepper: Pepper;
  ids: IdCodec;
  tokens: Tokens;
  news: CredentialNews;
  limiter: LoginLimiter;
  /** Runs work that no answer waits for; a failure is logged. */
  inBackground(work: () => Promise<void>): void;
}

/** A user as the actor of what happens while they sign up, sign in or refresh a session. */
export function asActor(user: { id: number; firstName: string; lastName: string }): Actor {
  return { type: 'user', userId: user.id, name: nameOf(user) };
}

/** A person's name as the audit log shows it. */
export function nameOf({ firstName, lastName }: { firstName: string; lastName: string }): string {
  return `${firstName} ${lastName}`;
}
