import type { Operation } from '@tandem/contract';
import type { LinkTokens } from '@tandem/sealed';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';
import type { Store } from './store/store.ts';

/** The tenant-bound database of files. */
export type Tx = TenantTx<PrismaClient>;
/** The code of one of the service's operations; `Found` is what it takes in before its transaction. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;

/** What the token of a link opens. */
export interface Linked {
  tenantId: number;
  environment: 'live' | 'sandbox';
  fileId: number;
  disposition: 'inline' | 'attachment';
}

/** What the handlers share. */
export interface Tools {
  store: Store;
  links: LinkTokens<Linked>;
  publicUrl: string;
  maxBytes: number;
}
