import type { Caller } from '@tandem/caller';
import type { ServiceClient } from '@tandem/client/internal';
import type { Operation } from '@tandem/contract';
import type { internalTeams, internalTenants, internalUsers } from '@tandem/identity-contract';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';

/** The tenant-bound database of crm. */
export type Tx = TenantTx<PrismaClient>;
/** The code of one of crm's operations; `Found` is what its `check` finds. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;
/** What crm asks others. */
export interface Peers {
  identity: ServiceClient<typeof internalUsers & typeof internalTenants & typeof internalTeams>;
  /** The currency of the caller's tenant. */
  currencyOf(caller: Caller): Promise<string>;
}
