import type { Operation } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import type { Seal } from '@tandem/sealed';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';
import type { Target } from './outgoing/guard.ts';
import type { Schedules } from './outgoing/retry-schedule.ts';
import type { Sender } from './outgoing/send.ts';
import type { Turns } from './outgoing/turns.ts';

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
  turns: Turns;
  /** For tests, which somebody waits for: those of one tenant, and those of all together. */
  testTurns: { own: Turns; all: Turns };
  schedules: Schedules;
}
