import type { Operation } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import type { LinkTokens } from '@tandem/sealed';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';
import type { Store } from './store/store.ts';

/** Tenant-scoped database client of files. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of a files operation; `Found` is the result of its `receive` or `check`. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;

/** Payload of a link token. */
export interface Linked {
  tenantId: number;
  environment: 'live' | 'sandbox';
  fileId: number;
  /** The current version if absent. */
  versionId?: number;
  disposition: 'inline' | 'attachment';
}

/** Dependencies of handlers. */
export interface Tools {
  store: Store;
  links: LinkTokens<Linked>;
  publicUrl: string;
  maxBytes: number;
  ids: IdCodec;
}
