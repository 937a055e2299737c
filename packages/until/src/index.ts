// Waits for a condition in a test: without dependencies, so that the tests of every package can use it.
// Far beyond what anything takes: a machine that is busy with other things must not fail a test.
const deadlineMs = 40_000;
const pollMs = 20;

type Missing = undefined | null | false;

/**
 * Waits until `look` returns a value other than undefined, null or false, and returns it.
 * @throws after 40 s, or `withinMs`, with the last error or value
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | Missing> | T | Missing,
  withinMs = deadlineMs,
): Promise<T> {
  const end = Date.now() + withinMs;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== null && seen !== false) return seen;
      last = seen;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new Error(`Timed out waiting until ${what}; last value: ${last}`);
}
