import type { Operation } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import type { Shares } from '@tandem/process';
import type { Seal } from '@tandem/sealed';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';
import type { FairQueue } from './outgoing/fair-queue.ts';
import type { Target } from './outgoing/guard.ts';
import type { Schedules } from './outgoing/retry-schedule.ts';
import type { Sender } from './outgoing/send.ts';
import type { PermissionsOf } from './permissions-of.ts';

/** The tenant-bound database of integrations. */
export type Tx = TenantTx<PrismaClient>;
/** The code of one of integrations' operations; `Found` is what its check hands to its run. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;

/** What webhooks need besides the database. */
export interface Tools {
  ids: IdCodec;
  seal: Seal;
  target: Target;
  sender: Sender;
  queue: FairQueue;
  /** Limits of test requests in flight, which a caller waits for: of one tenant, and of all tenants together. */
  testLimits: { tenant: Shares<number>; all: Shares<'all'> };
  schedules: Schedules;
  permissionsOf: PermissionsOf;
}
