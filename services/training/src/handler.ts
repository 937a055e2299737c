import type { ServiceClient } from '@tandem/client/internal';
import type { Operation } from '@tandem/contract';
import type { internalLeads } from '@tandem/crm-contract';
import type { internalFiles } from '@tandem/files-contract';
import type { HtmlCleaner } from '@tandem/html-cleaner';
import type {
  internalAssignees,
  internalRoles,
  internalTeams,
  internalTenants,
  internalUsers,
} from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { internalPartnerLookup, internalPartners } from '@tandem/partner-contract';
import type { LinkTokens } from '@tandem/sealed';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { CertificateLink } from './features/certificates/certificate-link.ts';
import type { CertificateRenderer } from './features/certificates/certificate-renderer.ts';
import type { ScormLink } from './features/scorm/links.ts';
import type { PackageReader } from './features/scorm/package/package-reader.ts';
import type { PlayerOrigin } from './features/scorm/player/player-origin.ts';
import type { PrismaClient } from './generated/client.ts';

/** Tenant-scoped database client of training. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of a training operation; `Found` is the result of its `check`. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;
/** Clients of other services. */
export interface Peers {
  identity: ServiceClient<
    typeof internalUsers &
      typeof internalAssignees &
      typeof internalTeams &
      typeof internalRoles &
      typeof internalTenants
  >;
  partner: ServiceClient<typeof internalPartnerLookup & typeof internalPartners>;
  crm: ServiceClient<typeof internalLeads>;
  files: ServiceClient<typeof internalFiles>;
}
/** Dependencies of handlers. */
export interface Tools {
  peers: Peers;
  /** Cleans the texts of lessons. */
  cleaner: HtmlCleaner;
  ids: IdCodec;
  /** The address of the gateway as clients see it. */
  publicUrl: string;
  /** Links to the documents of certificates. */
  links: LinkTokens<CertificateLink>;
  renderer: CertificateRenderer;
  /** Links to launched SCORM packages. */
  scormLinks: LinkTokens<ScormLink>;
  packages: PackageReader;
  player: PlayerOrigin;
}
