import { type Account, isUnreported, reportBatch, reportEverything } from './account.ts';
import type { Accounts } from './accounts.ts';
import type { Counters } from './counters.ts';
import type { GuardedRedis } from './redis.ts';

/** Sends counts to Redis that no script call has reported. */
export interface Reports {
  /** Sends all counts marked as unreported. */
  send(): Promise<void>;
  /**
   * Sends every count of one or all subjects again, because Redis may have lost them; rejects if one cannot be sent.
   */
  repeat(subject?: string): Promise<void>;
}

// Low, because each report may carry 100 addresses and all reports of a group share one deadline.
const concurrency = 10;
const addressesPerCall = 100;

/** Reports accounts in bounded groups. */
export function createReports(options: { redis: GuardedRedis; accounts: Accounts; counters: Counters }): Reports {
  const { redis, accounts, counters } = options;
  let sending: Promise<void> | undefined;
  /** The full report in progress, and the one queued behind it. */
  let repeating: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const report = async (account: Account): Promise<void> => {
    const { addresses, months } = account.unreported;
    const calls = 1 + months.size + addresses.size / addressesPerCall;
    for (let call = 0; call < calls && isUnreported(account); call++)
      await counters.count(account, () => reportBatch(account), { isForced: true });
    if (!isUnreported(account)) accounts.unreported.delete(account);
  };

  const reportAll = async (queue: Account[]): Promise<void> => {
    const work = async () => {
      for (let account = queue.shift(); account; account = queue.shift()) await report(account);
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  };

  const send = async (): Promise<void> => {
    if (!redis.available()) return;
    // After a failure, the next sweep continues.
    sending ??= reportAll([...accounts.unreported])
      .catch(() => {})
      .finally(() => {
        sending = undefined;
      });
    await sending;
  };

  const repeatOf = async (chosen: Account[]): Promise<void> => {
    for (const one of chosen) {
      reportEverything(one);
      accounts.unreported.add(one);
    }
    await reportAll(chosen);
  };

  /** Runs one full report at a time. Requests made meanwhile share the next one. */
  const repeatAll = (): Promise<void> => {
    if (repeating) {
      next ??= repeating.catch(() => {}).then(repeatAll);
      return next;
    }
    next = undefined;
    repeating = repeatOf([...accounts.all()]).finally(() => {
      repeating = undefined;
    });
    return repeating;
  };

  return {
    send,
    async repeat(subject) {
      await redis.probe();
      if (subject === undefined) return repeatAll();
      const account = accounts.find(subject);
      if (account) await repeatOf([account]);
    },
  };
}
