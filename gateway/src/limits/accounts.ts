import { type Account, type Month, newAccount } from './account.ts';

/** The accounts of one process. */
export interface Accounts {
  /** The account of a subject, created if there is none. */
  of(subject: string): Account;
  find(subject: string): Account | undefined;
  all(): Iterable<Account>;
  months(): Iterable<[Account, Month]>;
  /** Calls that this process has counted towards months, including evicted months. */
  counted(): number;
  /** Accounts with counts that Redis lacks. */
  unreported: Set<Account>;
  /**
   * Marks every account uncertain after an outage: other gateways may have admitted calls they have not reported yet.
   */
  distrust(): void;
  /** Evicts accounts that no call needs any more. */
  forgetIdle(): void;
}

// After an outage, the other gateways detect with their next probe that Redis is back.
const settleMs = 2_000;
// Longer than any request: a 5xx response lowers the count of the month in which the request began.
const retentionMs = 3_600_000;
const moveEveryMs = 1_000;

/** Creates the accounts of one process. Calls of the current month are reported as a total, so their account stays. */
export function createAccounts(windowMs: number): Accounts {
  const accounts = new Map<string, Account>();
  const unreported = new Set<Account>();
  let backAt = Number.NEGATIVE_INFINITY;
  let forgotten = 0;
  function* months(): Iterable<[Account, Month]> {
    for (const account of accounts.values()) for (const month of account.months.values()) yield [account, month];
  }
  const forget = ({ months }: Account, month: Month) => {
    forgotten += month.own;
    months.delete(month.month);
  };
  return {
    unreported,
    of(subject) {
      const now = performance.now();
      const account = accounts.get(subject) ?? newAccount(subject, now - backAt > settleMs);
      // Orders the accounts by their last use, the oldest first, for `forgetIdle`. An account moves at most once a second:
      // with a move on every call, V8 allocates a new table for the map every few calls.
      if (now - account.movedAt > moveEveryMs) {
        accounts.delete(subject);
        accounts.set(subject, account);
        account.movedAt = now;
      }
      account.usedAt = now;
      return account;
    },
    find: (subject) => accounts.get(subject),
    all: () => accounts.values(),
    months,
    counted() {
      let counted = forgotten;
      for (const [, { own }] of months()) counted += own;
      return counted;
    },
    distrust() {
      backAt = performance.now();
      for (const account of accounts.values()) account.isCertain = false;
    },
    forgetIdle() {
      const now = performance.now();
      const current = new Date().toISOString().slice(0, 7);
      for (const [subject, account] of accounts) {
        const idle = now - account.usedAt;
        if (idle < windowMs) break;
        if (account.isAsking) continue;
        if (!unreported.has(account))
          for (const month of account.months.values())
            if (month.month < current && idle > retentionMs) forget(account, month);
        if (account.months.size) continue;
        // The window is over, so its unreported counts no longer affect any limit.
        unreported.delete(account);
        accounts.delete(subject);
      }
    },
  };
}
