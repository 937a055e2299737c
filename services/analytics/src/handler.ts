import type { ServiceClient } from '@tandem/client/internal';
import type { Operation } from '@tandem/contract';
import type { internalLeads } from '@tandem/crm-contract';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';

/** The tenant-bound database of analytics. */
export type Tx = TenantTx<PrismaClient>;
/** The code of one of the service's operations. */
export type Handler<Op extends Operation> = ServiceHandler<Op, Tx>;
/** Clients of other services. */
export interface Peers {
  crm: ServiceClient<typeof internalLeads>;
}
