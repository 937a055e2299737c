import type { Ai } from '@tandem/ai';
import type { Operation } from '@tandem/contract';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { HtmlCleaner } from './features/landing-pages/html-cleaner.ts';
import type { PrismaClient } from './generated/client.ts';

/** The tenant-bound database of campaign. */
export type Tx = TenantTx<PrismaClient>;
/** The code of one of campaign's operations; `Found` is what it learns before its transaction. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;
/** The dependencies of handlers, besides the database. */
export interface Tools {
  ai: Ai;
  cleaner: HtmlCleaner;
}
