import { createCallerSigner } from '@tandem/caller';
import { type Operations, portalRoles, portalRolesOf } from '@tandem/contract';
import { type Consumer, declaredConsumers } from '@tandem/events';
import {
  createHealth,
  createLog,
  createMetrics,
  createRequestRate,
  type Health,
  type Log,
  type Metrics,
  type ShutdownStep,
  shutdownLimits,
} from '@tandem/process';
import { createSeal } from '@tandem/sealed';
import { startTelemetry } from '@tandem/telemetry';
import { createTenantDb, inBackground, type TenantDb } from '@tandem/tenant-db';
import type { Express } from 'express';
import { untypedHandlers } from './any-handler.ts';
import { createCursors } from './cursors.ts';
import { createFirstUse } from './first-use.ts';
import { createApp } from './http.ts';
import type { Parts } from './parts.ts';
import type { ServiceDefinition } from './service-definition.ts';
import type { ServiceSettings } from './settings.ts';
import { startBackground } from './start-background.ts';
import { followTenants } from './tenant-life.ts';
import { createTotals } from './totals.ts';

export interface RunningService {
  app: Express;
  db: TenantDb<unknown>;
  log: Log;
  health: Health;
  /** Deletes expired rows now; also runs every hour. */
  housekeep(): Promise<string[]>;
  /** Re-encrypts stored values that are not under the current key; also runs every 5 minutes. */
  reencrypt(): Promise<void>;
  /** Whether every consumer's queue exists. */
  consuming(): boolean;
  /** Shutdown steps after the HTTP server: consumers, jobs, relay, the stores, then telemetry. */
  closing: ShutdownStep[];
  /** Runs all steps of `closing`. */
  close(): Promise<void>;
}

/**
 * Connects the parts of a service without listening.
 * @throws when an operation has no handler, a handler has no operation, or the narrowing is missing or contradictory
 */
export function createService<Ops extends Operations, Client, Settings extends ServiceSettings>(
  definition: ServiceDefinition<Ops, Client, Settings>,
): RunningService {
  const { name, operations, handlers, settings } = definition;
  checkComplete(definition);
  const log = createLog(name);
  const metrics = createMetrics(name);
  definition.measure?.(metrics);
  const telemetry = startTelemetry({ service: name, log, metrics });
  const health = createHealth();
  const requests = createRequestRate();
  const seal = createSeal(settings.ENCRYPTION_KEY);
  const db = openDatabase(definition, metrics);
  const life = followTenants({ service: name, db: inBackground(db), removal: definition.tenantRemoval });
  const consumers = [life.consumer, ...(definition.consumers ?? [])];
  const jobs = [...(definition.jobs ?? []), ...life.jobs];
  const background = startBackground({ ...definition, consumers, jobs }, { db, seal, requests, log, metrics });
  const { broker, consumption } = background;
  health.need('postgres', () => db.ping().then(() => true));
  // Only the first start of a consumer creates its queue; a later broker outage does not affect readiness.
  health.need('consumers', () => consumption.declared() || broker.away());
  const stores: ShutdownStep = {
    name: 'stores',
    withinMs: shutdownLimits.storesMs,
    async run() {
      definition.mail?.parts.close();
      await definition.drain?.();
      await Promise.all([background.closeStores(), db.close(), definition.close?.()]);
    },
  };
  // Last and with a limit of its own, so that a frozen store does not take its time: it exports the spans of work that
  // ended during the other steps.
  const spans: ShutdownStep = { name: 'telemetry', withinMs: shutdownLimits.telemetryMs, run: telemetry.close };
  const closing = [...background.closing, stores, spans];
  const parts: Parts = {
    db: db as TenantDb<unknown>,
    log,
    metrics,
    health,
    requests,
    outgoing: background.outgoing,
    declaredConsumers: declaredConsumers(broker.names, name, consumers as readonly Consumer[]),
    portalRole: definition.portalRole,
    firstUse: definition.firstUse && createFirstUse(db, definition.firstUse),
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
    seal,
    cursors: createCursors(settings.INTERNAL_SECRETS),
    totals: createTotals(),
  };
  return {
    app: createApp(operations, untypedHandlers(handlers), parts),
    db: parts.db,
    log,
    health,
    housekeep: background.housekeep,
    reencrypt: background.reencrypt,
    consuming: consumption.declared,
    closing,
    async close() {
      for (const step of closing) await step.run();
    },
  };
}

function openDatabase<Client>(
  definition: Pick<
    ServiceDefinition<Operations, Client, ServiceSettings>,
    'settings' | 'client' | 'prisma' | 'narrowing'
  >,
  metrics: Metrics,
): TenantDb<Client> {
  const { settings, client, prisma, narrowing } = definition;
  const prismaQueries = metrics.counter(
    'prisma_queries_total',
    "Queries run by Prisma's engine, which cost several times as much as direct queries",
    ['model', 'operation'],
  );
  return createTenantDb<Client>({
    url: settings.DATABASE_URL,
    poolMax: settings.DATABASE_POOL_MAX,
    backgroundMax: settings.DATABASE_BACKGROUND_MAX,
    client,
    prisma,
    narrowing,
    namedStatements: settings.DATABASE_NAMED_STATEMENTS,
    metrics,
    throughPrisma: (model, operation) => prismaQueries.inc({ model, operation }),
  });
}

function checkComplete<Ops extends Operations, Client, Settings extends ServiceSettings>({
  name,
  operations,
  handlers,
  narrowing,
  portalRole,
}: ServiceDefinition<Ops, Client, Settings>): void {
  const missing = Object.keys(operations).filter((id) => !(id in handlers));
  const unused = Object.keys(handlers).filter((id) => !(id in operations));
  if (missing.length) throw new Error(`${name}: no handler for ${missing.join(', ')}`);
  if (unused.length) throw new Error(`${name}: no operation for ${unused.join(', ')}`);
  const narrows = Object.values(operations).find((row) => row.narrows);
  if (narrows && !narrowing)
    throw new Error(`${name}: ${narrows.id} has narrows, but the service declares no narrowing`);
  const restricted = Object.values(operations).find((row) => {
    const roles = portalRolesOf(row);
    return roles && roles.length < portalRoles.length;
  });
  if (restricted && !portalRole)
    throw new Error(
      `${name}: ${restricted.id} is not open to all portal roles, but the service declares no portalRole`,
    );
}
