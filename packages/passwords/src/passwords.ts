import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { fail } from '@tandem/service';

// 2 is Argon2id; the package exports it as a const enum, which type stripping cannot read. Parameters by the OWASP
// Password Storage Cheat Sheet for Argon2id: 19 MiB of memory, two iterations, one degree of parallelism.
const parameters = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// Anybody can trigger this work without credentials, so one CPU core stays free for authenticated requests.
const queued = queue({ atOnce: Math.min(3, Math.max(1, availableParallelism() - 1)), waitingMax: 40 });

/**
 * Creates a queue that limits concurrency and runs waiting work in order of arrival.
 * @throws ApiError 503 when too much work is waiting
 */
export function queue({ atOnce, waitingMax }: { atOnce: number; waitingMax: number }) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (waiting.length >= waitingMax) throw fail('unavailable');
      // Finished work passes its slot on directly, so that new work cannot take it first.
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

/** Hashes a password for storage. Takes about 30 ms, so never call it inside a transaction. */
export function hashPassword(password: string): Promise<string> {
  return queued(() => hash(password, parameters));
}

let dummyHash: Promise<string> | undefined;

/**
 * Whether a password is correct. Without a hash it takes the same time and returns false, so that response times do not
 * reveal unknown users.
 */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  if (stored !== undefined) return queued(() => verify(stored, password));
  dummyHash ??= hash('nobody has this password', parameters);
  const known = await dummyHash;
  await queued(() => verify(known, password));
  return false;
}
