import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { fail } from '@tandem/service';

// 2 is Argon2id; the package names it by a const enum, which type stripping cannot read.
// OWASP Password Storage Cheat Sheet, Argon2id: 19 MiB of memory, two iterations, one degree of parallelism.
const parameters = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// Anybody can ask for this work without credentials; a processor stays free for those who have some.
const inTurn = queue({ atOnce: Math.min(3, Math.max(1, availableParallelism() - 1)), waitingMax: 40 });

/**
 * Runs so many works at once and lets others wait in their order.
 * @throws ApiError 503 for one that would have to wait behind too many
 */
export function queue({ atOnce, waitingMax }: { atOnce: number; waitingMax: number }) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (waiting.length >= waitingMax) throw fail('unavailable');
      // Whoever ends hands the place on, so that nobody comes in between.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** The hash to store for a password. Takes about 30 ms: never inside a transaction. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, parameters));
}

let nobody: Promise<string> | undefined;

/** Whether a password is right. Without a hash it takes as long and is wrong: unknown users look like known ones. */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  if (stored !== undefined) return inTurn(() => verify(stored, password));
  nobody ??= hash('nobody has this password', parameters);
  const known = await nobody;
  await inTurn(() => verify(known, password));
  return false;
}
