import type { ServiceClient } from '@tandem/client/internal';
import type { Operation } from '@tandem/contract';
import type { InternalLead, internalLeads } from '@tandem/crm-contract';
import type { internalTenants } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { PrismaClient } from './generated/client.ts';
import type { Telephony } from './telephony.ts';

/** The tenant-bound database of agents. */
export type Tx = TenantTx<PrismaClient>;
/** The code of one of agents' operations; `Found` is what its check hands to its run. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;
/** A lead as crm shows it to other services. */
export type Lead = z.output<typeof InternalLead>;

/** The dependencies of handlers, besides the database. */
export interface Tools {
  ids: IdCodec;
  crm: ServiceClient<typeof internalLeads>;
  identity: ServiceClient<typeof internalTenants>;
  telephony: Telephony;
  /** Delay between a call that reached nobody and the next one. */
  callAgainMs: number;
  /** Time limit of a call. It is below the lease of the job, so that no second process makes the same call. */
  callMaxMs: number;
}
