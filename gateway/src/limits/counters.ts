import { type Account, addressOf, type Batch, type Count, type Month, rollTo, windowOf } from './account.ts';
import { createCommandGroups } from './command-groups.ts';
import { countCalls, type ScriptRequest } from './count.lua.ts';
import type { Recorded } from './recorded-usage.ts';
import { epochKey, isComplete } from './recovery.ts';
import type { GuardedRedis } from './redis.ts';

/** The reply of the script. Totals cover all gateways and exclude the calls of the batch. */
export interface Counted {
  window: number;
  now: number;
  tenant: number;
  month: number;
  /** Calls by which the recorded usage of stopped gateways differed from Redis. */
  corrected: number;
  addresses: number[];
  /** Calls granted, for each run of the batch. */
  granted: number[];
}

interface CountOptions {
  recorded?: Recorded | undefined;
  gone?: Recorded;
  isForced?: boolean;
}

/** The counters in Redis shared by all gateways. */
export interface Counters {
  /**
   * Reports the counts of an account and counts the calls of a batch; serialized per account.
   * @param build builds the batch when it is sent
   * @param countOptions.isForced true to count even if Redis has lost counts or does not know the month
   */
  count(account: Account, build: () => Batch, countOptions?: CountOptions): Promise<Counted | 'lost' | 'unseeded'>;
  /** The gateways with calls in Redis for a month. */
  gatewaysOf(account: Account, month: Month): Promise<string[]>;
  /** The epoch in which this gateway knows the counters to be complete; '' before the first reply. */
  epoch(): string;
  /**
   * Redis' clock in milliseconds, accurate to one round trip after the first reply and independent of the local clock.
   */
  now(): number;
}

type CountedReply = ['counted', now: number, tenant: number, month: number, corrected: number, number[], number[]];

// The estimate of Redis' clock is off by less. A larger error means that Redis' clock was set back: this process then
// decides locally until Redis has caught up.
const clockAheadMaxMs = 100;

interface Scripted {
  countCalls(keys: number, ...keysAndRequest: string[]): Promise<unknown[]>;
}

/** Connects the accounts of one gateway process to the counters. */
export function createCounters(options: {
  redis: GuardedRedis;
  namespace: string;
  gateway: string;
  windowMs: number;
}): Counters {
  const { redis, namespace, gateway, windowMs } = options;
  redis.redis.defineCommand('countCalls', { lua: countCalls });
  const send = createCommandGroups(redis);
  let sequence = 0;
  let clock = performance.timeOrigin;
  let epoch = '';
  const tag = ({ subject }: Account) => `${namespace}:{${subject}}`;
  const monthKey = (account: Account, month: string | undefined) => `${tag(account)}:usage:${month ?? ''}`;

  const now = () => clock + performance.now();

  const requestOf = (account: Account, batch: Batch, countOptions: CountOptions): ScriptRequest => ({
    gateway,
    sequence: ++sequence,
    epoch,
    windowMs,
    window: account.window,
    subject: reported(account.tenant, account.unreported.window),
    addresses: batch.addresses.map((address) =>
      reported(addressOf(account, address), account.unreported.addresses.has(address)),
    ),
    cap: capOf(batch),
    month: batch.month && monthOf(batch.month, batch, countOptions),
    runs: batch.runs,
    isForced: countOptions.isForced ?? false,
  });

  const run = async (
    account: Account,
    build: () => Batch,
    countOptions: CountOptions,
  ): ReturnType<Counters['count']> => {
    const { batch, request, reply } = await send((client) => {
      const batch = build();
      rollTo(account, windowOf(now(), windowMs));
      const request = requestOf(account, batch, countOptions);
      const windowKey = `${tag(account)}:window:${account.window}`;
      const keys = [windowKey, monthKey(account, batch.month?.month), epochKey(namespace)];
      for (const address of batch.addresses) keys.push(`${windowKey}:${address}`);
      const reply = (client as unknown as Scripted).countCalls(keys.length, ...keys, JSON.stringify(request));
      return { reply: reply.then((reply) => ({ batch, request, reply })), calls: batch.waiters.length };
    });
    if (reply[0] === 'lost' || reply[0] === 'unseeded') return reply[0];
    if (reply[0] === 'epoch') {
      const current = reply[1] as string;
      if (!isComplete(current)) return 'lost';
      epoch = current;
      return run(account, () => batch, countOptions);
    }
    if (reply[0] === 'window') {
      const [, window, redisNow] = reply as [string, number, number];
      clock = redisNow - performance.now();
      // The estimate was ahead. Wait for the window to end, so that its counts are not reported as zero.
      if (window < account.window) await pause(account.window - redisNow);
      rollTo(account, window);
      return run(account, () => batch, countOptions);
    }
    if (reply[0] !== 'counted') throw new Error(`Unexpected reply from Redis: ${reply[0]}`);
    const [, redisNow, tenant, month, corrected, addresses, granted] = reply as CountedReply;
    const counted = { window: request.window, now: redisNow, tenant, month, corrected, addresses, granted };
    clock = redisNow - performance.now();
    acknowledge(account, batch, request, counted);
    return counted;
  };

  return {
    count(account, build, countOptions = {}) {
      const call = account.underWay.then(() => run(account, build, countOptions));
      account.underWay = call.catch(() => {});
      return call;
    },
    async gatewaysOf(account, { month }) {
      const fields = await redis.run((client) => client.hkeys(monthKey(account, month)));
      return fields.filter((field) => field !== 'total' && field !== 'seeded');
    },
    epoch: () => epoch,
    now,
  };
}

/** Counts known to be missing in Redis are reported as unacknowledged, so that the script does not reply 'lost'. */
function reported({ own, acknowledged }: Count, isUnreported: boolean): [number, number] {
  return [own, isUnreported ? 0 : acknowledged];
}

function capOf({ waiters }: Batch): number {
  const allowance = waiters.at(-1)?.allowance;
  return allowance ? allowance.perMinute + allowance.burst : 0;
}

function monthOf(
  { own }: Month,
  { waiters }: Batch,
  { recorded, gone = {} }: CountOptions,
): NonNullable<ScriptRequest['month']> {
  const quota = waiters.findLast(({ allowance }) => allowance.quota?.counts)?.allowance.quota;
  return { own, limit: quota?.limit ?? Number.MAX_SAFE_INTEGER, ...(recorded && { recorded, gone }) };
}

/** Adds the granted calls to the counts of an account, which may have changed while the request was in flight. */
function acknowledge(account: Account, batch: Batch, request: ScriptRequest, counted: Counted): void {
  const granted = { all: 0, month: 0, addresses: batch.addresses.map(() => 0) };
  for (const [index, [address, , counts]] of batch.runs.entries()) {
    const calls = counted.granted[index] as number;
    granted.all += calls;
    granted.month += counts * calls;
    granted.addresses[address - 1] = (granted.addresses[address - 1] as number) + calls;
  }
  const add = (count: Count, sent: number, calls: number, total: number) => {
    count.own += calls;
    count.acknowledged = sent + calls;
    count.total = total + calls;
  };
  const { unreported } = account;
  if (batch.month && request.month) {
    add(batch.month, request.month.own, granted.month, counted.month);
    if (batch.month.own === batch.month.acknowledged) unreported.months.delete(batch.month);
  }
  // A new window has begun: the calls belong to the previous one.
  if (account.window !== request.window) return;
  add(account.tenant, request.subject[0], granted.all, counted.tenant);
  if (account.tenant.own === account.tenant.acknowledged) unreported.window = false;
  for (const [index, address] of batch.addresses.entries()) {
    const count = addressOf(account, address);
    const [sent] = request.addresses[index] as [number, number];
    add(count, sent, granted.addresses[index] as number, counted.addresses[index] as number);
    if (count.own === count.acknowledged) unreported.addresses.delete(address);
  }
}

async function pause(ms: number): Promise<void> {
  if (ms > clockAheadMaxMs) throw new Error(`The Redis clock is ${Math.round(ms)} ms behind`);
  await new Promise((resolve) => setTimeout(resolve, ms));
}
