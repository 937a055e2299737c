import { type Account, isUnreported, reportBatch, reportEverything } from './account.ts';
import type { Accounts } from './accounts.ts';
import type { Counters } from './counters.ts';
import type { GuardedRedis } from './redis.ts';

/** Brings counts to Redis that no call has carried there. */
export interface Reports {
  /** Reports what Redis lacks, as far as it is known. */
  send(): Promise<void>;
  /** Reports every count of a subject, or of all, to a Redis that may have lost them; rejects when one does not arrive. */
  repeat(subject?: string): Promise<void>;
}

// Few, because each may carry a hundred addresses and all of a group have one deadline.
const atOnce = 10;
const addressesAtOnce = 100;

/** Reports accounts in bounded groups. */
export function createReports(options: { redis: GuardedRedis; accounts: Accounts; counters: Counters }): Reports {
  const { redis, accounts, counters } = options;
  let sending: Promise<void> | undefined;
  /** The report of everything that is under way, and the one that waits for its end. */
  let repeating: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const report = async (account: Account): Promise<void> => {
    const { addresses, months } = account.unreported;
    const calls = 1 + months.size + addresses.size / addressesAtOnce;
    for (let call = 0; call < calls && isUnreported(account); call++)
      await counters.count(account, () => reportBatch(account), { isForced: true });
    if (!isUnreported(account)) accounts.unreported.delete(account);
  };

  const reportAll = async (queue: Account[]): Promise<void> => {
    const work = async () => {
      for (let account = queue.shift(); account; account = queue.shift()) await report(account);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  };

  const send = async (): Promise<void> => {
    if (!redis.available()) return;
    // After a failure the next sweep goes on.
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

  /** One report of everything at a time; whoever asks meanwhile shares the next one, which begins after they asked. */
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
