import type { ServiceClient } from '@tandem/client/internal';
import type { Operation } from '@tandem/contract';
import type { internalFiles } from '@tandem/files-contract';
import type { HtmlCleaner } from '@tandem/html-cleaner';
import type { internalUsers } from '@tandem/identity-contract';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';

/** Tenant-scoped database client of training. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of a training operation; `Found` is the result of its `check`. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;
/** Clients of other services. */
export interface Peers {
  identity: ServiceClient<typeof internalUsers>;
  files: ServiceClient<typeof internalFiles>;
}
/** Dependencies of handlers. */
export interface Tools {
  peers: Peers;
  /** Cleans the texts of lessons. */
  cleaner: HtmlCleaner;
}
