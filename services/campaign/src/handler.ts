import type { Ai } from '@tandem/ai';
import type { ServiceClient } from '@tandem/client/internal';
import type { TenantRequest } from '@tandem/client/per-tenant';
import type { Operation } from '@tandem/contract';
import type { internalAssignees, internalTenantSlugs, KnownSettings, SettingsReader } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { Mailer } from '@tandem/mail';
import type { createGuardedFetch, Target } from '@tandem/outgoing';
import type { internalPartnerLookup } from '@tandem/partner-contract';
import type { Seal } from '@tandem/sealed';
import type { Handler as ServiceHandler, Users } from '@tandem/service';
import type { SmsDriver } from '@tandem/sms';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { crmOperations } from './crm-operations.ts';
import type { Dns } from './features/dns/dns.ts';
import type { HtmlCleaner } from './features/landing-pages/html-cleaner.ts';
import type { Providers } from './features/provider-events/providers.ts';
import type { SpfMechanism } from './features/sending-domains/records.ts';
import type { TemplateRenderer } from './features/templates/template-renderer.ts';
import type { TrackingLinks } from './features/tracking/tracking-links.ts';
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
  /** Renders the messages of workflows. */
  renderer: TemplateRenderer;
  identity: Users & ServiceClient<typeof internalTenantSlugs & typeof internalAssignees>;
  /** The leads, which crm stores. */
  crm: ServiceClient<typeof crmOperations>;
  /** The partners, whom training has as learners. */
  partner: ServiceClient<typeof internalPartnerLookup>;
  /** The settings of the tenant: name, time zone, language. */
  settingsOf: (request: TenantRequest) => Promise<KnownSettings>;
  ids: IdCodec;
  seal: Seal;
  /** The address of the gateway as clients see it. */
  publicUrl: string;
  /** The host that the DNS of page domains points to. */
  pagesHost: string;
  mail: Mailer['queue'];
  /** Sends the messages of workflows, which have rows of their own. */
  mailer: Pick<Mailer, 'deliver' | 'count' | 'isEnabled' | 'address' | 'refsIn'>;
  sms: SmsDriver;
  smsPerDayMax: number;
  /** Calls addresses that users name. */
  webhooks: { target: Target; fetch: ReturnType<typeof createGuardedFetch>['fetch'] };
  tracking: TrackingLinks;
  dns: Dns;
  spf: SpfMechanism;
  providers: Providers;
  domainPerMinuteMax: number;
}
