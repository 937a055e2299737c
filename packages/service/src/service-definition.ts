import type { Caller } from '@tandem/caller';
import type { Operations, PortalRoleName } from '@tandem/contract';
import type { Consumer, EventTimings } from '@tandem/events';
import type { Job } from '@tandem/jobs';
import type { Mailer } from '@tandem/mail';
import type { Metrics } from '@tandem/process';
import type { createTenantDb, Narrowing, Tx } from '@tandem/tenant-db';
import type { Handlers } from './handler.ts';
import type { Maintenance, Purge } from './housekeeping.ts';
import type { SealedColumn } from './re-encrypt.ts';
import type { ServiceSettings } from './settings.ts';
import type { TenantRemoval } from './tenant-life.ts';

type Adapter = Parameters<Parameters<typeof createTenantDb>[0]['client']>[0];

/** The definition of a service: its operations and their handlers, consumers, jobs and settings. */
export interface ServiceDefinition<Ops extends Operations, Client, Settings extends ServiceSettings> {
  name: string;
  operations: Ops;
  handlers: Handlers<Ops, Tx<Client>>;
  // biome-ignore lint/suspicious/noExplicitAny: each consumer and job has its own types.
  consumers?: readonly Consumer<any, Tx<Client>>[];
  /** Overrides of the event timings, for tests. */
  eventTimings?: Partial<EventTimings>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  jobs?: readonly Job<any, Tx<Client>>[];
  /** How many jobs may wait for external systems at once, in addition to the jobs that are running. */
  jobsOutsideMax?: number;
  /** Sends the messages that its handlers queue. */
  mail?: Mailer;
  client: (adapter: Adapter) => Client;
  /** The `Prisma` namespace of the generated client. */
  prisma: object;
  /**
   * For callers narrowed to own or team records: which records of each tenant model they can access. Required as soon
   * as an operation narrows.
   */
  narrowing?: Readonly<Record<string, Narrowing>>;
  /**
   * The role of the portal user who calls; undefined if there is no such user any more. Required as soon as an operation of
   * the portal is not open to all roles.
   */
  portalRole?: (tx: Tx<Client>, caller: Caller) => Promise<PortalRoleName | undefined>;
  /** Rows that are deleted permanently after a number of days. */
  purge?: readonly Purge[];
  /** Statements that run at the start and every hour, under the role `relay`. */
  maintenance?: readonly Maintenance[];
  /** Columns with sealed values, which are re-encrypted when the encryption key changes. */
  sealed?: readonly SealedColumn[];
  /**
   * Creates the default records of a tenant in each environment; runs once, in a transaction before its first request.
   */
  firstUse?: (tx: Tx<Client>) => Promise<void>;
  /** Removes data of a deleted tenant outside of the database. */
  tenantRemoval?: TenantRemoval<Client>;
  /** Registers additional metrics of the service. */
  measure?: (metrics: Metrics) => void;
  settings: Settings;
  /** Writes what the service itself has buffered, while the stores are still open. */
  drain?: () => Promise<void>;
  /** Closes resources that the service opened itself. */
  close?: () => void | Promise<void>;
}
