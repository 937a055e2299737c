import type { ServiceClient } from '@tandem/client/internal';
import type { Operation } from '@tandem/contract';
import type { internalUsers } from '@tandem/identity-contract';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';

/** The tenant-bound database of training. */
export type Tx = TenantTx<PrismaClient>;
/** The code of one of training's operations. */
export type Handler<Op extends Operation> = ServiceHandler<Op, Tx>;
/** Clients of other services. */
export interface Peers {
  identity: ServiceClient<typeof internalUsers>;
}
