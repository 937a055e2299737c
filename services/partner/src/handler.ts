import type { internalCampaigns } from '@tandem/campaign-contract';
import type { ServiceClient } from '@tandem/client/internal';
import type { Operation } from '@tandem/contract';
import type { internalLeads } from '@tandem/crm-contract';
import type { internalFiles } from '@tandem/files-contract';
import type { internalPortal } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { LoginLimiter } from '@tandem/passwords';
import type { LinkTokens } from '@tandem/sealed';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PrismaClient } from './generated/client.ts';

/** The tenant-bound database of partner. */
export type Tx = TenantTx<PrismaClient>;
/** The code of one of the service's operations; `Found` is what it takes in before its transaction. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;

/** The services that partner asks. */
export interface Peers {
  identity: ServiceClient<typeof internalPortal>;
  files: ServiceClient<typeof internalFiles>;
  campaign: ServiceClient<typeof internalCampaigns>;
  crm: ServiceClient<typeof internalLeads>;
}

/** The month of a partner that a statement is about. */
export interface StatementOf {
  partnerId: number;
  /** YYYY-MM, in UTC. */
  period: string;
  currency: string;
}

/** What the handlers share. */
export interface Tools {
  peers: Peers;
  /** Links to the breakdowns of statements. */
  links: LinkTokens<StatementOf & { tenantId: number; environment: 'live' | 'sandbox' }>;
  publicUrl: string;
  /** For files that a customer reads: ids stand there as everywhere in the API. */
  ids: IdCodec;
  limiter: LoginLimiter;
}
