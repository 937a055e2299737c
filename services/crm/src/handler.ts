import type { ServiceClient } from '@tandem/client/internal';
import type { TenantRequest } from '@tandem/client/per-tenant';
import type { Operation } from '@tandem/contract';
import type {
  internalAssignees,
  internalRoles,
  internalTeams,
  internalTenants,
  internalUsers,
} from '@tandem/identity-contract';
import type { internalPartnerLookup } from '@tandem/partner-contract';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';

/** Tenant-scoped database client of crm. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of a crm operation; `Found` is the result of its `check`. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;
/** Clients for other services. */
export interface Peers {
  identity: ServiceClient<
    typeof internalUsers &
      typeof internalAssignees &
      typeof internalTenants &
      typeof internalTeams &
      typeof internalRoles
  >;
  partner: ServiceClient<typeof internalPartnerLookup>;
  /** The currency of the caller's tenant. */
  currencyOf(request: TenantRequest): Promise<string>;
  /** The language of the caller's tenant (BCP 47). */
  localeOf(request: TenantRequest): Promise<string>;
  /** The time zone of the caller's tenant. */
  timezoneOf(request: TenantRequest): Promise<string>;
}
