import { randomBytes } from 'node:crypto';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import type { Allowance, Limiter, Verdict } from '@tandem/gateway/allowance';
import { type GuardedRedis, guardRedis } from '@tandem/gateway/guarded-redis';
import { createLimiter } from '@tandem/gateway/limiter';
import { createUsageMeter, type UsageMeter } from '@tandem/gateway/usage-meter';
import { internalAccess } from '@tandem/identity-contract';
import { createLog } from '@tandem/process';
import type { TestFleet } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

/** Limits of a tenant in the property test. */
export interface Plan {
  perMinute: number;
  burst: number;
  quota: number;
}

/** One request: its gateway, tenant and address, and the status of its response. */
export interface Call {
  gateway: number;
  tenant: number;
  address: number;
  /** `session` is a call with a user's session, which has no quota. */
  environment: 'live' | 'sandbox' | 'session';
  answer: 200 | 500;
}

/** A call with its verdict. */
export interface Outcome extends Call {
  verdict: Verdict;
}

interface Gateway {
  id: string;
  isKilled: boolean;
  redis: GuardedRedis;
  limiter: Limiter;
  usage: UsageMeter;
}

const log = createLog('test');
const as = { environment: 'live' as const, requestId: 'e2e' };

/** Long enough for concurrent calls, short enough for many window changes. */
export const windowMs = 2_000;
// Longer than the pauses of a busy machine, so that only a stopped gateway is silent for this long.
const goneAfterMs = 4_000;
const redisTimeoutMs = 150;

/** Several gateways in this process, on real stores, with the real identity service for recorded usage. */
export interface LimitsWorld {
  /** All calls sent so far, with their verdicts. */
  outcomes: Outcome[];
  /** Sends calls concurrently and waits for their results. */
  send(calls: readonly Call[]): Promise<Outcome[]>;
  /** Sends one sandbox call of each tenant through each gateway, sequentially. */
  look(): Promise<Outcome[]>;
  /** Kills a gateway without a shutdown and starts another one. Its unrecorded calls are lost. */
  kill(number: number): Promise<void>;
  /** Served calls of a tenant's month, without those that a killed gateway had not recorded. */
  counted(tenant: number): number;
  /** Served but unrecorded calls of each tenant's month. */
  unrecorded(): Promise<number[]>;
  /** Waits until usage header, recorded usage and model agree for every tenant at every gateway. */
  rest(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts gateways and waits until all know each other.
 * @param options.tenants ids of the tenants
 */
export async function startLimitsWorld(options: {
  fleet: TestFleet;
  redisUrl: string;
  gateways: number;
  tenants: readonly number[];
  plans: readonly Plan[];
  month: string;
}): Promise<LimitsWorld> {
  const { month, plans, tenants } = options;
  const namespace = `limits-${randomBytes(4).toString('hex')}`;
  const { INTERNAL_SECRETS, IDENTITY_URL } = options.fleet.environment.gateway as Record<string, string>;
  const identity = createServiceClient({
    operations: internalAccess,
    baseUrl: IDENTITY_URL as string,
    service: 'e2e',
    signer: createCallerSigner(INTERNAL_SECRETS as string),
  });
  const outcomes: Outcome[] = [];
  // Served calls by gateway and tenant.
  const served = new Map<string, Map<number, number>>();

  const recorded = async (tenantId: number) => (await identity.readUsage({ body: { tenantId, month }, as })).recorded;

  const newGateway = (): Gateway => {
    const id = randomBytes(9).toString('base64url');
    const redis = guardRedis(options.redisUrl, log, redisTimeoutMs);
    const limiter = createLimiter({
      redis,
      log,
      windowMs,
      goneAfterMs,
      namespace,
      gateway: id,
      beatMs: 100,
      reportWithinMs: 10_000,
      readRecorded: async (tenantId) =>
        Object.fromEntries((await recorded(tenantId)).map((row) => [row.gateway, row.calls])),
    });
    const usage = createUsageMeter(async (calls) => {
      if (gateway.isKilled) throw new Error('This gateway was stopped');
      await identity.reportUsage({ body: { gateway: id, served: calls }, as });
    }, log);
    const gateway: Gateway = { id, isKilled: false, redis, limiter, usage };
    served.set(id, new Map());
    return gateway;
  };

  const gateways = Array.from({ length: options.gateways }, newGateway);
  const knowEachOther = () =>
    until('the gateways know each other', () =>
      gateways.every(({ limiter }) => limiter.stats().gateways === gateways.length),
    );

  const allowanceOf = ({ tenant, address, environment }: Call): Allowance => {
    const { perMinute, burst, quota: limit } = plans[tenant] as Plan;
    const tenantId = tenants[tenant] as number;
    const subject = `t:${tenantId}`;
    const quota = environment === 'session' ? undefined : { tenantId, month, limit, counts: environment === 'live' };
    return { subject, pair: `${subject}/127.0.20.${address}`, perMinute, burst, quota };
  };

  const sendOne = async (call: Call): Promise<Outcome> => {
    const { id, limiter, usage } = gateways[call.gateway % gateways.length] as Gateway;
    const allowance = allowanceOf(call);
    const verdict = await limiter.take(allowance);
    if (!verdict.allowed || call.environment !== 'live') return { ...call, verdict };
    // The response of the service arrives in a later turn of the event loop.
    await new Promise(setImmediate);
    if (call.answer === 500) limiter.giveBack(allowance);
    else {
      usage.count(tenants[call.tenant] as number, month, { keyId: 1, operation: 'GET /v1/leads', userId: 1 });
      const counts = served.get(id) as Map<number, number>;
      counts.set(call.tenant, (counts.get(call.tenant) ?? 0) + 1);
    }
    return { ...call, verdict };
  };

  const send: LimitsWorld['send'] = async (calls) => {
    const sent = await Promise.all(calls.map(sendOne));
    outcomes.push(...sent);
    return sent;
  };

  const look = async (): Promise<Outcome[]> => {
    const seen: Outcome[] = [];
    for (const tenant of plans.keys())
      for (const gateway of gateways.keys())
        seen.push(...(await send([{ gateway, tenant, address: 1, environment: 'sandbox', answer: 200 }])));
    return seen;
  };

  const counted = (tenant: number): number =>
    [...served.values()].reduce((sum, counts) => sum + (counts.get(tenant) ?? 0), 0);

  await knowEachOther();
  await until('the counters are complete', async () => {
    await send([{ gateway: 0, tenant: 0, address: 0, environment: 'session', answer: 200 }]);
    return (await gateways[0]?.redis.redis.get(`${namespace}:epoch`))?.startsWith('complete:');
  });
  return {
    outcomes,
    send,
    look,
    counted,
    async kill(number) {
      const index = number % gateways.length;
      const ended = gateways[index] as Gateway;
      ended.isKilled = true;
      // Without a connection, it cannot report its counts.
      ended.redis.close();
      await Promise.all([ended.limiter.close(), ended.usage.close()]);
      gateways[index] = newGateway();
      const counts = served.get(ended.id) as Map<number, number>;
      for (const [tenant, tenantId] of tenants.entries())
        counts.set(tenant, (await recorded(tenantId)).find(({ gateway }) => gateway === ended.id)?.calls ?? 0);
    },
    unrecorded: () =>
      Promise.all(
        tenants.map(async (tenantId, tenant) => {
          const sum = (await recorded(tenantId)).reduce((all, { calls }) => all + calls, 0);
          return counted(tenant) - sum;
        }),
      ),
    async rest() {
      await until('every gateway counts with Redis', async () =>
        (await look()).every(({ verdict }) => !verdict.degraded),
      );
      for (const [tenant, tenantId] of tenants.entries()) {
        await until(`the recorded usage of tenant ${tenant} is ${counted(tenant)}`, async () => {
          const sum = (await recorded(tenantId)).reduce((all, { calls }) => all + calls, 0);
          if (sum !== counted(tenant)) throw new Error(`the recorded usage is ${sum}`);
          return true;
        });
        await until(`every gateway shows ${counted(tenant)} for tenant ${tenant}`, async () => {
          const allowed = (await look()).filter((seen) => seen.tenant === tenant && seen.verdict.allowed);
          const wrong = allowed.filter(({ verdict }) => verdict.usage !== counted(tenant));
          if (wrong.length) throw new Error(`the shown usage is ${wrong.map(({ verdict }) => verdict.usage)}`);
          return allowed.length === gateways.length;
        });
      }
      await knowEachOther();
    },
    async stop() {
      for (const { limiter, usage, redis } of gateways) {
        await usage.close();
        await limiter.close();
        redis.close();
      }
    },
  };
}
