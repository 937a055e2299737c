import type { ServiceClient } from '@tandem/client/internal';
import type { Operation, recordPages } from '@tandem/contract';
import type { internalExports, internalLeads, internalPipelines, internalPredictedScores } from '@tandem/crm-contract';
import type {
  internalAssignees,
  internalEntitlements,
  internalRoles,
  internalTeams,
  internalTenants,
  internalUsers,
} from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { internalPartners } from '@tandem/partner-contract';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { Evaluations } from './evaluations.ts';
import type { HeavyQueries } from './features/timelines/share.ts';
import type { PrismaClient } from './generated/client.ts';

/** Tenant-scoped database client of analytics. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of an analytics operation; `Found` is the result of its `check`. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;
/** Clients of other services. */
export interface Peers {
  crm: ServiceClient<
    typeof internalExports &
      typeof internalLeads &
      typeof internalPipelines &
      typeof internalPredictedScores &
      typeof recordPages
  >;
  identity: ServiceClient<
    typeof internalUsers &
      typeof internalEntitlements &
      typeof internalAssignees &
      typeof internalTeams &
      typeof internalRoles &
      typeof internalTenants &
      typeof recordPages
  >;
  partner: ServiceClient<typeof internalPartners & typeof recordPages>;
  campaign: ServiceClient<typeof recordPages>;
  training: ServiceClient<typeof recordPages>;
  files: ServiceClient<typeof recordPages>;
  integrations: ServiceClient<typeof recordPages>;
  agents: ServiceClient<typeof recordPages>;
}
/** What handlers use beside the database. */
export interface Tools extends Peers {
  heavy: HeavyQueries;
  evaluations: Evaluations;
  ids: IdCodec;
}
