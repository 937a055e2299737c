import type { internalCampaigns } from '@tandem/campaign-contract';
import type { ServiceClient } from '@tandem/client/internal';
import type { TenantRequest } from '@tandem/client/per-tenant';
import type { Operation } from '@tandem/contract';
import type {
  internalExports,
  internalLeads,
  internalOpportunities,
  internalPartnerDeals,
  internalPipelines,
  internalRegisteredDeals,
} from '@tandem/crm-contract';
import type { internalFiles } from '@tandem/files-contract';
import type { internalPortal, KnownSettings, SettingsReader } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { Mailer } from '@tandem/mail';
import type { LoginLimiter } from '@tandem/passwords';
import type { LinkTokens, Seal } from '@tandem/sealed';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { internalCompletions } from '@tandem/training-contract';
import type { Documents } from './documents.ts';
import type { PrismaClient } from './generated/client.ts';
import type { PaymentProvider } from './payment-provider.ts';
import type { PortalLinks } from './portal-links.ts';

/** Tenant-bound database client of partner. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of a partner operation; `Found` is the result of its `check`, which runs before the transaction. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;

/** Clients of the services that partner calls. */
export interface Peers {
  identity: ServiceClient<typeof internalPortal>;
  files: ServiceClient<typeof internalFiles>;
  campaign: ServiceClient<typeof internalCampaigns>;
  crm: ServiceClient<
    typeof internalLeads &
      typeof internalOpportunities &
      typeof internalPartnerDeals &
      typeof internalPipelines &
      typeof internalExports &
      typeof internalRegisteredDeals
  >;
  training: ServiceClient<typeof internalCompletions>;
}

/** Partner, month and currency of a statement. */
export interface StatementKey {
  partnerId: number;
  /** YYYY-MM. */
  period: string;
  currency: string;
}

/** The statement that a link leads to, and whether its file hides the values of deals. */
export interface StatementScope {
  tenantId: number;
  environment: 'live' | 'sandbox';
  hidesDeals?: boolean;
}

/** Dependencies of the handlers other than the database. */
export interface Tools {
  peers: Peers;
  addonSettings: SettingsReader<TenantRequest>;
  /** The settings of a tenant, cached. */
  settingsOf(request: TenantRequest): Promise<KnownSettings>;
  /** Signed links to the files of statements. Those of the previous release have no format, and lead to CSV. */
  links: LinkTokens<StatementKey & StatementScope & { format?: 'csv' | 'pdf' }>;
  /** Signed links to the files of payouts. */
  payoutLinks: LinkTokens<{
    tenantId: number;
    environment: 'live' | 'sandbox';
    payoutId: number;
    format: 'csv' | 'pain.001';
  }>;
  seal: Seal;
  documents: Documents;
  /** Absent without the settings of a provider. */
  paymentProvider: PaymentProvider | undefined;
  publicUrl: string;
  /** Encodes ids in files for customers, where the gateway does not encode them. */
  ids: IdCodec;
  limiter: LoginLimiter;
  /** A keyed digest: without the key it cannot be checked against guesses of the text. */
  digest(text: string): string;
  /** Queues messages to portal users. */
  mail: Mailer['queue'];
  /** Links in these messages. */
  portalLinks: PortalLinks;
  /** Runs work without delaying the response; failures are logged. */
  inBackground(work: () => Promise<void>): void;
}
