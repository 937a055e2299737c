import type { Allowance, Verdict } from './allowance.ts';

/** Calls in one window or month. */
export interface Count {
  /** Counted by this process. */
  own: number;
  /** `own` as Redis last acknowledged it. */
  acknowledged: number;
  /** Counted by all gateways when Redis last answered. */
  total: number;
}

/** The calls of a tenant's month. */
export interface Month extends Count {
  tenantId: number;
  month: string;
  /** Whether `total` has been read, from Redis or from the recorded usage. */
  isKnown: boolean;
  /** Whether `total` has been compared with the recorded usage since Redis last answered. */
  isRefreshed: boolean;
  /** When the recorded usage may be read again after a failure, in milliseconds. */
  readableAt: number;
}

/** A call that waits for its verdict. */
export interface Waiter {
  allowance: Allowance;
  resolve: (verdict: Verdict) => void;
}

/** The counts of one subject in this process, and its calls that are not counted yet. */
export interface Account {
  readonly subject: string;
  /** Start of the window, in milliseconds of Redis' clock. */
  window: number;
  tenant: Count;
  addresses: Map<string, Count>;
  /** Counts that may differ from those in Redis. Script calls report the window, and these addresses and months. */
  unreported: { window: boolean; addresses: Set<string>; months: Set<Month> };
  months: Map<string, Month>;
  waiting: Waiter[];
  isAsking: boolean;
  /** Settles with the script call in flight: calls report absolute counts, so they must not overlap. */
  underWay: Promise<unknown>;
  /** False after a failure: other gateways may have admitted calls that they have not reported to Redis yet. */
  isCertain: boolean;
  usedAt: number;
  /** When it was last moved to the end of the accounts. */
  movedAt: number;
}

/** Consecutive waiting calls of one address (1-based number); `counts` is 1 if they count towards the month. */
export type Run = [address: number, calls: number, counts: 0 | 1];

/** The calls and counts of one script call. */
export interface Batch {
  waiters: Waiter[];
  runs: Run[];
  addresses: string[];
  month: Month | undefined;
}

// These bounds keep one script call below a millisecond.
const waitersMax = 1_000;
const addressesMax = 100;

export function newAccount(subject: string, isCertain: boolean): Account {
  return {
    subject,
    window: 0,
    tenant: newCount(),
    addresses: new Map(),
    unreported: { window: false, addresses: new Set(), months: new Set() },
    months: new Map(),
    waiting: [],
    isAsking: false,
    underWay: Promise.resolve(),
    isCertain,
    usedAt: 0,
    movedAt: Number.NEGATIVE_INFINITY,
  };
}

function newCount(): Count {
  return { own: 0, acknowledged: 0, total: 0 };
}

/** The count of one client address in the current window. */
export function addressOf({ addresses }: Account, address: string): Count {
  const count = addresses.get(address) ?? newCount();
  addresses.set(address, count);
  return count;
}

/** The count of the month that a call belongs to. */
export function monthOf({ months }: Account, { tenantId, month }: NonNullable<Allowance['quota']>): Month {
  const count = months.get(month) ?? {
    ...newCount(),
    tenantId,
    month,
    isKnown: false,
    isRefreshed: false,
    readableAt: 0,
  };
  months.set(month, count);
  return count;
}

/** The start of the window that contains a time. */
export function windowOf(now: number, windowMs: number): number {
  return now - (now % windowMs);
}

/** Moves the account to a window; ignored for an earlier window. */
export function rollTo(account: Account, window: number): void {
  if (window <= account.window) return;
  account.window = window;
  account.tenant = newCount();
  account.addresses.clear();
  account.unreported.window = false;
  account.unreported.addresses.clear();
}

export function isUnreported({ unreported }: Account): boolean {
  return unreported.window || unreported.addresses.size > 0 || unreported.months.size > 0;
}

/** Marks every count as unreported, because Redis may have lost them. */
export function reportEverything({ addresses, unreported, months }: Account): void {
  unreported.window = true;
  for (const address of addresses.keys()) unreported.addresses.add(address);
  for (const month of months.values()) unreported.months.add(month);
}

/** Marks the counts of a batch as unreported after a failed script call, which Redis may or may not have executed. */
export function distrustBatch({ unreported }: Account, { addresses, month }: Batch): void {
  unreported.window = true;
  for (const address of addresses) unreported.addresses.add(address);
  if (month) unreported.months.add(month);
}

/** Takes the waiting calls that fit into one script call, in order of arrival. */
export function nextBatch(account: Account): Batch {
  const numbers = new Map<string, number>();
  const numberOf = (address: string) => {
    const number = numbers.get(address) ?? numbers.size + 1;
    numbers.set(address, number);
    return number;
  };
  const runs: Run[] = [];
  let month: Month | undefined;
  let taken = 0;
  for (const { allowance } of account.waiting) {
    const { pair, quota } = allowance;
    const own = quota && monthOf(account, quota);
    if (taken === waitersMax || (month && own && own !== month)) break;
    if (numbers.size === addressesMax && !numbers.has(pair)) break;
    month ??= own;
    const [address, counts] = [numberOf(pair), quota?.counts ? 1 : 0] as const;
    const last = runs.at(-1);
    if (last?.[0] === address && last[2] === counts) last[1]++;
    else runs.push([address, 1, counts]);
    taken++;
  }
  const waiters = account.waiting.splice(0, taken);
  return { waiters, runs, ...reported(account, numbers, month) };
}

/** The gateway's own counts that a script call reports. */
function reported(account: Account, numbers: Map<string, number>, month: Month | undefined) {
  for (const address of account.unreported.addresses) {
    if (numbers.size >= addressesMax) break;
    if (!numbers.has(address)) numbers.set(address, numbers.size + 1);
  }
  return { addresses: [...numbers.keys()], month: month ?? [...account.unreported.months][0] };
}

/** A batch that only reports counts, without calls. */
export function reportBatch(account: Account, month?: Month): Batch {
  return { waiters: [], runs: [], ...reported(account, new Map(), month) };
}
