import type { Embedding } from '@tandem/ai';
import type { ServiceClient } from '@tandem/client/internal';
import type { TenantRequest } from '@tandem/client/per-tenant';
import type { Operation } from '@tandem/contract';
import type { internalExports, internalLeads, internalOpportunities } from '@tandem/crm-contract';
import type { SettingsReader } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { internalPartnerLookup, internalPartners } from '@tandem/partner-contract';
import type { Handler as ServiceHandler, Totals } from '@tandem/service';
import type { Tx } from './database.ts';
import type { SearchDriver } from './driver/driver.ts';
import type { SearchedBy } from './driver/searched-by.ts';
import type { QuestionVectors } from './embedding/question-vector.ts';

export type { Tx };

/** The code of one of search's operations. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;
/** The dependencies of handlers, besides the database. */
export interface Tools {
  addonSettings: SettingsReader<TenantRequest>;
  /** The index of all tenants, in PostgreSQL. */
  driver: SearchDriver;
  /** Chooses the driver for the searches of a tenant. */
  searchedBy: SearchedBy;
  /** The provider's model that embeds documents and questions; absent when none is configured. */
  embedding?: Embedding | undefined;
  embeddingTokensPerDay: number;
  questionVectors: QuestionVectors;
  /** Counts of common words. */
  totals: Totals;
  /** Lets bulk requests of a tenant in, one after the other. */
  bulkShare: (tenantId: number | undefined) => Promise<() => void>;
  ids: IdCodec;
  /** The owners of indexed records. */
  crm: ServiceClient<typeof internalExports & typeof internalLeads & typeof internalOpportunities>;
  partner: ServiceClient<typeof internalPartners & typeof internalPartnerLookup>;
}
