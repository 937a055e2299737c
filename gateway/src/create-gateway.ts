import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createPepper } from '@tandem/api-keys';
import { type CallerSigner, createCallerSigner } from '@tandem/caller';
import { createServiceClient, type ServiceClient } from '@tandem/client/internal';
import type { Operations } from '@tandem/contract';
import { internalAccess, internalRefusals, internalUsers, internalViews } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import {
  createHealth,
  createLog,
  createMetrics,
  createServerDrain,
  type Health,
  type Log,
  type Metrics,
  type ServerDrain,
} from '@tandem/process';
import { startTelemetry } from '@tandem/telemetry';
import { createAuthenticator } from './access/authenticate.ts';
import { createCredentialWatch } from './access/credential-watch.ts';
import { createPrincipals } from './access/principals.ts';
import { createRefusals } from './access/refusals.ts';
import { createTokens } from './access/tokens.ts';
import { type ApiLog, createApiLog } from './api-log/api-log.ts';
import { senderOfCalls } from './api-log/send-calls.ts';
import { closeAll } from './close-all.ts';
import type { GatewaySettings } from './config.ts';
import { publicOperations } from './contracts.ts';
import { createPages } from './docs/pages.ts';
import { clientIpReader } from './http/client-ip.ts';
import { Compressor } from './http/compress.ts';
import { createCors } from './http/headers.ts';
import { tenantHostReader } from './http/tenant-hosts.ts';
import { createLimiter } from './limits/limiter.ts';
import { measureLimits } from './limits/measure.ts';
import { type GuardedRedis, guardRedis } from './limits/redis.ts';
import { createUsageMeter } from './limits/usage.ts';
import { nameSources } from './names.ts';
import { measureUpstreams } from './observe.ts';
import type { GatewayParts } from './parts.ts';
import { compileRoutes } from './routes.ts';
import { createGatewayServer } from './server.ts';
import { createStreams } from './streams.ts';
import { createUpstream, type Upstream } from './upstream/upstream.ts';

export interface RunningGateway {
  server: Server;
  /** Health and metrics, on a separate port. */
  ops: Server;
  log: Log;
  health: Health;
  /** Stops `server` without failing a request. */
  drain: ServerDrain;
  /** Closes the connections to services and Redis; called after the server has closed. */
  close(): Promise<void>;
}

const tokenIssuer = 'tandem';
const burstShare = 6;
const processIdBytes = 12;

/**
 * Creates a gateway that is not listening yet.
 * @param services the contracts it serves, by service
 * @param origins the origin of each service, such as `http://crm:8080`
 */
export function createGateway(
  settings: GatewaySettings,
  services: Record<string, Operations>,
  origins: Record<string, string>,
): RunningGateway {
  const log = createLog('gateway');
  const metrics = createMetrics('gateway');
  const telemetry = startTelemetry({ service: 'gateway', log, metrics });
  // Readiness depends on no other service: otherwise an outage of identity would take out every gateway at once, and
  // without requests no breaker would close again.
  const health = createHealth();
  const drain = createServerDrain();
  const signer = createCallerSigner(settings.INTERNAL_SECRETS);
  const ids = createIdCodec(settings.IDS_ALPHABET);
  const operations = publicOperations(services);
  const toIdentity = { baseUrl: settings.IDENTITY_URL, service: 'gateway', signer };
  const identity = createServiceClient({ ...toIdentity, operations: internalAccess });
  const upstreams = new Map(Object.keys(services).map((name) => [name, createUpstream(origins[name] as string)]));
  const redis = guardRedis(settings.REDIS_URL, log, settings.REDIS_TIMEOUT_MS);
  const limits = createLimits(settings, { redis, identity, log });
  const pepper = createPepper(settings.KEY_PEPPER);
  const principals = createPrincipals({ identity, pepper: pepper.id, redisUrl: settings.REDIS_URL, log });
  const credentialWatch = createCredentialWatch(principals);
  const fetchTokenKeys = () => fetchKeys(upstreams.get('identity'), signer);
  const tokens = createTokens({ fetchKeys: fetchTokenKeys, issuer: tokenIssuer, log });
  measureLimits(metrics, limits);
  measureOutages(metrics, redis, upstreams);

  const refused = createServiceClient({ ...toIdentity, operations: internalRefusals });
  const refusals = createRefusals(
    (batch) => refused.recordRefusals({ body: { refusals: batch }, as: { environment: 'live', requestId: 'gateway' } }),
    log,
  );

  const logged = settings.API_LOG ? openApiLog(origins['integrations'], { signer, log, metrics }) : undefined;

  const parts: GatewayParts = {
    ...limits,
    refusals,
    apiLog: logged?.apiLog,
    ids,
    signer,
    principals,
    credentialWatch,
    users: createServiceClient({ ...toIdentity, operations: internalUsers }),
    views: createServiceClient({ ...toIdentity, operations: internalViews }),
    nameSources: nameSources(services),
    upstreams,
    log,
    metrics,
    upstreamSeconds: measureUpstreams(metrics),
    match: compileRoutes(operations),
    tenantHost: tenantHostReader({ publicUrl: settings.PUBLIC_URL, ownHosts: settings.OWN_HOSTS }),
    clientIp: clientIpReader(settings.TRUSTED_PROXIES),
    authenticator: createAuthenticator({
      principals,
      tokens,
      ids,
      pepper,
      failuresPerMinute: settings.FAILED_AUTHENTICATIONS_PER_MINUTE,
    }),
    anonymous: ratePerAddress(settings.ANONYMOUS_RATE_PER_MINUTE),
    shared: ratePerAddress(settings.SHARED_ADDRESS_RATE_PER_MINUTE),
    streams: createStreams(settings.STREAM_IDLE_MS),
    compressor: new Compressor(),
    pages: createPages(operations),
    cors: createCors(
      { origins: settings.CORS_ORIGINS, publicUrl: settings.PUBLIC_URL },
      operations.flatMap(({ row }) => Object.keys(row.headers ?? {})),
    ),
  };
  return {
    server: createGatewayServer(parts, { health, drain }),
    ops: createOpsServer(metrics, health),
    log,
    health,
    drain,
    close: () =>
      closeAll([
        () => limits.usage.close(),
        () => refusals.close(),
        async () => logged?.close(),
        () => limits.limiter.close(),
        () => credentialWatch.close(),
        () => principals.close(),
        () => log.flush(),
        ...[...upstreams.values()].map((upstream) => () => upstream.close()),
        () => redis.close(),
        () => telemetry.close(),
      ]),
  };
}

/** The API log of integrations, if the gateway serves that service. It has connections of its own, whose failures do not count for requests. */
function openApiLog(
  origin: string | undefined,
  { signer, log, metrics }: { signer: CallerSigner; log: Log; metrics: Metrics },
): { apiLog: ApiLog; close(): Promise<void> } | undefined {
  if (origin === undefined) return undefined;
  const upstream = createUpstream(origin);
  const apiLog = createApiLog(senderOfCalls(upstream, signer), { log, metrics });
  return {
    apiLog,
    async close() {
      await apiLog.close();
      upstream.close();
    },
  };
}

/** Rate limits and quotas of this process, which has a random id in Redis and in the recorded usage. */
function createLimits(
  settings: GatewaySettings,
  { redis, identity, log }: { redis: GuardedRedis; identity: ServiceClient<typeof internalAccess>; log: Log },
): Pick<GatewayParts, 'limiter' | 'usage'> {
  const gateway = randomBytes(processIdBytes).toString('base64url');
  const as = { environment: 'live' as const, requestId: 'gateway' };
  const limiter = createLimiter({
    redis,
    gateway,
    log,
    namespace: settings.NAMESPACE,
    expected: settings.GATEWAYS_EXPECTED,
    async readRecorded(tenantId, month) {
      const { recorded } = await identity.readUsage({ body: { tenantId, month }, as });
      return Object.fromEntries(recorded.map((row) => [row.gateway, row.calls]));
    },
  });
  const usage = createUsageMeter(
    (served, parts) => identity.reportUsage({ body: { gateway, served, parts }, as }),
    log,
  );
  return { limiter, usage };
}

function measureOutages(metrics: Metrics, redis: GuardedRedis, upstreams: Map<string, Upstream>): void {
  metrics.gauge('limiter_degraded', '1 while rate limits are enforced without Redis', [], (gauge) =>
    gauge.set(redis.available() ? 0 : 1),
  );
  metrics.gauge(
    'breaker_open',
    '1 while the circuit breakers of all addresses of a service are open',
    ['upstream'],
    (gauge) => {
      for (const [name, upstream] of upstreams) gauge.set({ upstream: name }, upstream.state() === 'open' ? 1 : 0);
    },
  );
}

function createOpsServer(metrics: Metrics, health: Health): Server {
  return createServer(async (request, response) => {
    const { status, body } =
      request.url === '/metrics'
        ? { status: 200, body: await metrics.text() }
        : ((await health.check(request.url as string)) ?? { status: 404, body: undefined });
    response.writeHead(status).end(body);
  });
}

async function fetchKeys(identity: Upstream | undefined, signer: CallerSigner) {
  const path = '/.well-known/jwks.json';
  const caller = {
    type: 'system' as const,
    name: 'gateway',
    environment: 'live' as const,
    permissions: [],
    requestId: 'gateway',
  };
  const headers = { 'x-ctx': signer.sign(caller, 'GET', path) };
  const response = await identity?.send({
    method: 'GET',
    path,
    headers,
    body: undefined,
    timeoutMs: 3_000,
    tenantId: undefined,
    repeatable: true,
  });
  if (response?.status !== 200) throw new Error(`identity responded with status ${response?.status}`);
  return (JSON.parse(response.body.toString()) as { keys: { kid?: string }[] }).keys;
}

function ratePerAddress(perMinute: number) {
  return { perMinute, burst: Math.floor(perMinute / burstShare) };
}
