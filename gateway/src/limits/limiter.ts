import type { Allowance, Limiter, Verdict } from './allowance.ts';
import { returnCalls, takeCalls } from './counters.lua.ts';
import { localWindows } from './local.ts';
import type { GuardedRedis } from './redis.ts';

interface Grant {
  tenant: number;
  address: number;
  month: number;
  /** The end of the window by Redis' clock, and by ours. */
  reset: number;
  endsAt: number;
  taken: number;
  used: number;
}

interface Account {
  allowance: Allowance;
  grant: Grant | undefined;
  /** Taken while the grant was still in use, so that nobody waits when it ends. */
  next: Grant | undefined;
  /** The counters as last seen, for the size of the next lease. */
  last: Grant | undefined;
  waiting: ((grant: Grant | Error) => void)[];
  asking: boolean;
  /** Calls asked for in this and the last second, to tell a busy caller from a quiet one. */
  second: number;
  now: number;
  before: number;
  seen: number;
}

const busyPerSecond = 10;
const leaseMax = 50;
const leaseShare = 0.01;
const leaseLeftShare = 0.1;
// A lease is filled up again when this part of it is left: enough for the calls that come while Redis is asked.
const refillShare = 0.4;
const leaseIdleMs = 1_000;
const idleMs = 120_000;

/**
 * Limits calls by counters in Redis. A quiet caller is counted call by call. Of a busy one's calls, those that wait
 * together are counted together, and ahead by a lease of at most 50 or 1 % of the window (D3).
 * @param options.readUsage the calls of a month as they are recorded, for a Redis that has lost them
 */
export function createLimiter(options: {
  redis: GuardedRedis;
  namespace: string;
  readUsage: (tenantId: number, month: string) => Promise<number>;
  gateways: () => number;
}): Limiter {
  const { redis, namespace, readUsage } = options;
  redis.redis.defineCommand('takeCalls', { numberOfKeys: 3, lua: takeCalls });
  redis.redis.defineCommand('returnCalls', { numberOfKeys: 1, lua: returnCalls });
  const accounts = new Map<string, Account>();
  const owed = new Map<string, number>();
  const local = localWindows(options.gateways);
  const sweep = setInterval(() => {
    const now = Date.now();
    for (const [key, account] of accounts) {
      if (account.asking || account.seen > now - leaseIdleMs) continue;
      void returnIdleLease(account);
      if (account.seen < now - idleMs) accounts.delete(key);
    }
  }, leaseIdleMs);
  sweep.unref();

  const take = async (allowance: Allowance): Promise<Verdict> => {
    const account = accountOf(accounts, allowance);
    count(account);
    let grant = account.grant;
    if (grant && isSpent(grant, allowance)) return verdictOf({ ...grant, used: grant.taken + 1 }, allowance);
    if (grant && account.next && grant.used >= grant.taken) {
      grant = account.grant = account.next;
      account.next = undefined;
    }
    if (!grant || grant.used >= grant.taken || Date.now() >= grant.endsAt) {
      try {
        grant = await nextGrant(account, allowance);
      } catch {
        // Redis is away: this process limits by its share, and remembers what it served.
        const verdict = local.take(allowance);
        if (verdict.allowed) owe(allowance, 1);
        return verdict;
      }
    } else {
      grant.used++;
      if (grant.taken > 1 && grant.taken - grant.used <= grant.taken * refillShare) void refill(account, allowance);
    }
    return verdictOf(grant, allowance);
  };

  /** Takes ahead what was used of a lease, before the rest of it is used too. Together they are never more than a lease. */
  const refill = async (account: Account, allowance: Allowance): Promise<void> => {
    const { grant, asking, next } = account;
    const wanted = grant ? leaseSize(account, allowance, options.gateways()) - (grant.taken - grant.used) : 0;
    if (asking || next || wanted < 1) return;
    account.asking = true;
    account.next = await fetchGrant(allowance, wanted).catch(() => undefined);
    account.last = account.next ?? account.last;
    account.asking = false;
    // Whoever came after the lease was used up meanwhile.
    if (account.waiting.length) void ask(account, allowance);
  };

  /** Asks Redis for everybody who waits by now in one call. */
  const nextGrant = (account: Account, allowance: Allowance): Promise<Grant> => {
    const turn = new Promise<Grant>((resolve, reject) => {
      account.waiting.push((grant) => (grant instanceof Error ? reject(grant) : resolve(grant)));
    });
    if (!account.asking) void ask(account, allowance);
    return turn;
  };

  const ask = async (account: Account, allowance: Allowance): Promise<void> => {
    account.asking = true;
    while (account.waiting.length) {
      const ready = account.next?.taken && account.next.endsAt > Date.now() ? account.next : undefined;
      const waiting = account.waiting.splice(0, ready?.taken ?? account.waiting.length);
      if (ready) account.next = undefined;
      returnLease(account);
      const lease = Math.max(waiting.length, leaseSize(account, allowance, options.gateways()));
      const grant = ready ?? (await fetchGrant(allowance, lease).catch((error: Error) => error));
      for (const [index, resolve] of waiting.entries()) {
        if (grant instanceof Error) resolve(grant);
        // Each waiter sees the counters as they were at its own turn.
        else resolve({ ...grant, used: index + 1 });
      }
      // After a failure nothing is taken ahead: a command without an answer may have run, and what it took is lost.
      account.grant = grant instanceof Error ? undefined : { ...grant, used: Math.min(waiting.length, grant.taken) };
      account.last = account.grant;
    }
    account.asking = false;
  };

  /** Forgets what was taken ahead; resolves to the calls of it that were never made. */
  const unusedOf = (account: Account): number => {
    const unused = [account.grant, account.next].reduce((all, one) => all + (one ? one.taken - one.used : 0), 0);
    account.grant = undefined;
    account.next = undefined;
    return unused;
  };

  /** Calls taken ahead and not used were never made: the month gets them back. */
  const returnLease = (account: Account) => {
    const unused = unusedOf(account);
    if (unused > 0) owe(account.allowance, -unused);
  };

  /** What an idle caller's lease still holds goes back at once: another gateway may need it. */
  const returnIdleLease = async (account: Account) => {
    const { allowance } = account;
    const unused = unusedOf(account);
    if (unused <= 0 || !allowance.quota?.counts) return;
    const key = monthKey(namespace, allowance);
    await redis
      .run((client) => (client as unknown as Scripted).returnCalls(key, unused))
      .catch(() => owe(allowance, -unused));
  };

  const fetchGrant = async (allowance: Allowance, wanted: number, known = -1): Promise<Grant> => {
    const { subject, pair, perMinute, burst, quota } = allowance;
    const tag = `${namespace}:{${subject}}`;
    const month = monthKey(namespace, allowance);
    const debt = quota ? (owed.get(month) ?? 0) : 0;
    const numbers = await redis.run((client) =>
      (client as unknown as Scripted).takeCalls(
        ...[`${tag}:minute`, `${tag}:minute:${pair}`, month],
        ...[wanted, perMinute, burst, quotaOf(allowance) ?? -1, quota ? 1 : 0, known, known >= 0 ? 0 : debt],
        quota?.counts ? 1 : 0,
      ),
    );
    if (numbers[0] === -1 && quota) return fetchGrant(allowance, wanted, await readUsage(quota.tenantId, quota.month));
    if (debt) settle(owed, month, debt);
    const [taken, tenant, address, used, reset, now] = numbers as [number, number, number, number, number, number];
    local.saw(allowance, { tenant: tenant + taken, address: address + taken });
    return { taken, tenant, address, month: used, reset, endsAt: Date.now() + (reset - now) * 1_000, used: 0 };
  };

  const owe = (allowance: Allowance, calls: number) => {
    if (!allowance.quota?.counts) return;
    const key = monthKey(namespace, allowance);
    owed.set(key, (owed.get(key) ?? 0) + calls);
  };

  return { take, giveBack: (allowance) => owe(allowance, -1), close: () => clearInterval(sweep) };
}

/** The calls a month after which these are refused. */
function quotaOf({ quota }: Allowance): number | null | undefined {
  return quota?.counts ? quota.limit : undefined;
}

function monthKey(namespace: string, { subject, quota }: Allowance): string {
  return `${namespace}:{${subject}}:month:${quota?.month ?? ''}`;
}

/**
 * How many calls to take ahead: none for a quiet caller, and none near the end of what is left, where a call that another
 * gateway holds would be missed.
 */
function leaseSize(account: Account, allowance: Allowance, gateways: number): number {
  const { perMinute } = allowance;
  const { last } = account;
  if (!last || rate(account) < busyPerSecond) return 1;
  const left = Math.min(
    perMinute - Math.max(last.tenant, last.address),
    (quotaOf(allowance) ?? Number.MAX_SAFE_INTEGER) - last.month,
  );
  return Math.max(
    1,
    Math.min(leaseMax, Math.floor(perMinute * leaseShare), Math.floor((left * leaseLeftShare) / gateways)),
  );
}

interface Scripted {
  returnCalls(key: string, calls: number): Promise<number>;
  takeCalls(...given: (string | number)[]): Promise<number[]>;
}

function settle(owed: Map<string, number>, key: string, paid: number): void {
  const rest = (owed.get(key) ?? 0) - paid;
  if (rest === 0) owed.delete(key);
  else owed.set(key, rest);
}

function verdictOf(grant: Grant, allowance: Allowance): Verdict {
  const { perMinute, burst, quota } = allowance;
  const allowed = grant.used <= grant.taken;
  const mine = Math.min(grant.used, grant.taken);
  const used = Math.max(grant.tenant, grant.address) + mine;
  const resetIn = Math.max(1, Math.ceil((grant.endsAt - Date.now()) / 1_000));
  const minuteIsFull = used >= perMinute + burst;
  return {
    allowed,
    ...(!allowed && { reason: minuteIsFull ? 'rate_limited' : 'quota_exceeded' }),
    limit: perMinute,
    remaining: Math.max(0, perMinute - used),
    reset: grant.reset,
    resetIn,
    usage: quota && grant.month + (quota.counts ? mine : 0),
    degraded: false,
  };
}

function accountOf(accounts: Map<string, Account>, allowance: Allowance): Account {
  const { pair, quota } = allowance;
  const key = quota ? `${pair}/${quota.month}${quota.counts ? '' : '/uncounted'}` : pair;
  let account = accounts.get(key);
  if (!account) {
    account = {
      allowance,
      grant: undefined,
      next: undefined,
      last: undefined,
      waiting: [],
      asking: false,
      second: 0,
      now: 0,
      before: 0,
      seen: 0,
    };
    accounts.set(key, account);
  }
  return account;
}

/** Whether nobody can be admitted before the window ends: counters of a minute only grow. */
function isSpent(grant: Grant, { perMinute, burst }: Allowance): boolean {
  return (
    Date.now() < grant.endsAt &&
    Math.max(grant.tenant, grant.address) + grant.taken >= perMinute + burst &&
    grant.used >= grant.taken
  );
}

function count(account: Account): void {
  account.seen = Date.now();
  const second = Math.floor(account.seen / 1_000);
  if (second !== account.second) {
    account.before = second === account.second + 1 ? account.now : 0;
    account.second = second;
    account.now = 0;
  }
  account.now++;
}

function rate(account: Account): number {
  return Math.max(account.now, account.before);
}
