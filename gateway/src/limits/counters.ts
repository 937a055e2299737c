import { type Account, addressOf, type Batch, type Count, type Month, rollTo, windowOf } from './account.ts';
import { createCommandGroups } from './command-groups.ts';
import { countCalls, type ScriptRequest } from './count.lua.ts';
import type { Recorded } from './recorded-usage.ts';
import { epochKey, isComplete } from './recovery.ts';
import type { GuardedRedis } from './redis.ts';

/** The answer of the script. Totals are those of all gateways before the calls of the batch. */
export interface Counted {
  window: number;
  now: number;
  tenant: number;
  month: number;
  /** By how many calls the recorded usage of ended gateways differed from what Redis had. */
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

/** The counters that all gateways share in Redis. */
export interface Counters {
  /**
   * Reports the counts of an account and counts the calls of a batch; one at a time per account.
   * @param build makes the batch when it is sent
   * @param countOptions.isForced true to count although Redis has lost counts or does not know the month
   */
  count(account: Account, build: () => Batch, countOptions?: CountOptions): Promise<Counted | 'lost' | 'unseeded'>;
  /** The gateways that Redis has calls of in a month. */
  gatewaysOf(account: Account, month: Month): Promise<string[]>;
  /** The epoch in which this gateway knows the counters to be complete; '' before the first answer. */
  epoch(): string;
  /** Milliseconds of Redis' clock: exact to a round trip once Redis has answered, independent of changes of our clock. */
  now(): number;
}

type Answer = ['counted', now: number, tenant: number, month: number, corrected: number, number[], number[]];

// An estimate is wrong by less. Beyond it Redis' clock was set back, and this process decides alone until it has caught up.
const aheadMaxMs = 100;

interface Scripted {
  countCalls(keys: number, ...keysAndRequest: string[]): void;
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
    let batch = {} as Batch;
    let request = {} as ScriptRequest;
    const answer = (await send((pipeline) => {
      batch = build();
      rollTo(account, windowOf(now(), windowMs));
      request = requestOf(account, batch, countOptions);
      const windowKey = `${tag(account)}:window:${account.window}`;
      const keys = [windowKey, monthKey(account, batch.month?.month), epochKey(namespace)];
      for (const address of batch.addresses) keys.push(`${windowKey}:${address}`);
      (pipeline as unknown as Scripted).countCalls(keys.length, ...keys, JSON.stringify(request));
      return batch.waiters.length;
    })) as unknown[];
    if (answer[0] === 'lost' || answer[0] === 'unseeded') return answer[0];
    if (answer[0] === 'epoch') {
      const current = answer[1] as string;
      if (!isComplete(current)) return 'lost';
      epoch = current;
      return run(account, () => batch, countOptions);
    }
    if (answer[0] === 'window') {
      const [, window, redisNow] = answer as [string, number, number];
      clock = redisNow - performance.now();
      // Our estimate was ahead: counts of the window that has not ended yet must not be reported as none.
      if (window < account.window) await pause(account.window - redisNow);
      rollTo(account, window);
      return run(account, () => batch, countOptions);
    }
    if (answer[0] !== 'counted') throw new Error(`Redis answered ${answer[0]}`);
    const [, redisNow, tenant, month, corrected, addresses, granted] = answer as Answer;
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

/** Counts that Redis is known to lack are reported as not acknowledged, so that the script does not call them lost. */
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

/** Adds what was granted to the counts of an account. They may have changed while the request was under way. */
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
  // The next window has begun meanwhile: these calls belong to the one before.
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
  if (ms > aheadMaxMs) throw new Error(`The clock of Redis is ${Math.round(ms)} ms behind`);
  await new Promise((resolve) => setTimeout(resolve, ms));
}
