import type { Operation } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';

/** The tenant-bound database of the search service. */
export type Tx = TenantTx<PrismaClient>;
/** The handler of an operation of the search service. */
export type Handler<Op extends Operation> = ServiceHandler<Op, Tx>;
/** The dependencies of handlers, besides the database. */
export interface Tools {
  ids: IdCodec;
}
