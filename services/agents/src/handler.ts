import type { Ai } from '@tandem/ai';
import type { ServiceClient } from '@tandem/client/internal';
import type { TenantRequest } from '@tandem/client/per-tenant';
import type { Operation } from '@tandem/contract';
import type { InternalLead } from '@tandem/crm-contract';
import type { Entitlements, internalUsers, KnownSettings, SettingsReader } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { Shares } from '@tandem/process';
import type { Seal } from '@tandem/sealed';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { TelephonyDriver } from '@tandem/telephony';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { crmOperations } from './crm-operations.ts';
import type { PrismaClient } from './generated/client.ts';

/** Tenant-scoped database client of agents. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of an agents operation; `Found` is the result of its `check`. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;
/** A lead in the internal API of crm. */
export type Lead = z.output<typeof InternalLead>;

/** Dependencies of handlers and jobs. */
export interface Tools {
  ids: IdCodec;
  crm: ServiceClient<typeof crmOperations>;
  identity: ServiceClient<typeof internalUsers>;
  /** The settings of a tenant, cached. */
  settingsOf(request: TenantRequest): Promise<KnownSettings>;
  addonSettings: SettingsReader<TenantRequest>;
  /** The plan and the features of a tenant, cached. */
  entitlementsOf(request: TenantRequest): Promise<z.output<typeof Entitlements>>;
  /** The models that agents can name; the first one is the default. */
  models: readonly string[];
  /** Limits the conversations of a tenant with the model at once; a further one waits. */
  conversations: Shares<number>;
  /** Whether there is an AI provider. */
  asksModel: boolean;
  /** How many tokens the agents of a tenant may use in a day. */
  tokensPerDay: number;
  ai: Ai;
  telephony: TelephonyDriver;
  seal: Seal;
  /** The address of the API, where the telephone provider reports. */
  publicUrl: string;
  /** Delay before a call is retried. */
  callRetryMs: number;
  /** How long after its start a call is asked for whose end was not reported; later if it was answered late. */
  callDeadlineMs: number;
  /** The same for a call of which nobody knows whether it was placed. */
  callLookupMs: number;
}
