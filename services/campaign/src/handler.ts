import type { Ai } from '@tandem/ai';
import type { TenantRequest } from '@tandem/client/per-tenant';
import type { Operation } from '@tandem/contract';
import type { SettingsReader } from '@tandem/identity-contract';
import type { Handler as ServiceHandler, Users } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { HtmlCleaner } from './features/landing-pages/html-cleaner.ts';
import type { PrismaClient } from './generated/client.ts';

/** Tenant-scoped database client of campaign. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of a campaign operation; `Found` is the result of its `check`. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;
/** Dependencies of handlers. */
export interface Tools {
  ai: Ai;
  addonSettings: SettingsReader<TenantRequest>;
  cleaner: HtmlCleaner;
  identity: Users;
}
