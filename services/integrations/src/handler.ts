import type { Operation } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import type { Target } from '@tandem/outgoing';
import type { Shares } from '@tandem/process';
import type { Seal } from '@tandem/sealed';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';
import type { FairQueue } from './outgoing/fair-queue.ts';
import type { Schedules } from './outgoing/retry-schedule.ts';
import type { Sender } from './outgoing/send.ts';
import type { PermissionsOf } from './permissions-of.ts';

/** Tenant-scoped database client of integrations. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of an integrations operation; `Found` is the result of its `check`. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;

/** Dependencies of webhook handlers and jobs. */
export interface Tools {
  ids: IdCodec;
  seal: Seal;
  target: Target;
  sender: Sender;
  queue: FairQueue;
  /** Limits of test requests in flight, per tenant and in total. */
  testLimits: { tenant: Shares<number>; all: Shares<'all'> };
  schedules: Schedules;
  permissionsOf: PermissionsOf;
}
