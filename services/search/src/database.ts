import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';

/** The tenant-bound database of search. */
export type Tx = TenantTx<PrismaClient>;
