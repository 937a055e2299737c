/** Whether a process lives and whether it can work, for load balancers and supervisors. */
export interface Health {
  /**
   * Adds something the process cannot work without. `check` throws or resolves to false while it is missing.
   * A part that worked within the last 15 s counts as present: a check that waits for a busy pool must not take a pod out.
   */
  need(name: string, check: () => boolean | Promise<boolean>): void;
  /** The answer of /healthz or /readyz; undefined for any other path. */
  answer(path: string): Promise<{ status: number; body: string } | undefined>;
  /** From now on /readyz answers 503: the process is about to end. */
  drain(): void;
}

const answerWithinMs = 1_000;
const presentForMs = 15_000;

/** The health of one process. */
export function createHealth(now: () => number = () => performance.now()): Health {
  const needs = new Map<string, () => Promise<boolean>>();
  let isDraining = false;
  return {
    need: (name, check) => void needs.set(name, rememberSuccess(check, now)),
    drain: () => {
      isDraining = true;
    },
    async answer(path) {
      if (path === '/healthz') return { status: 200, body: JSON.stringify({ status: 'ok' }) };
      if (path !== '/readyz') return undefined;
      const parts = await Promise.all([...needs].map(async ([name, isPresent]) => [name, await isPresent()] as const));
      const isReady = !isDraining && parts.every(([, isPresent]) => isPresent);
      const status = isDraining ? 'draining' : isReady ? 'ok' : 'unavailable';
      return { status: isReady ? 200 : 503, body: JSON.stringify({ status, parts: Object.fromEntries(parts) }) };
    },
  };
}

/** Runs one check at a time, and answers by the latest success when the check is slow or fails. */
function rememberSuccess(check: () => boolean | Promise<boolean>, now: () => number): () => Promise<boolean> {
  let succeededAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      if (await check()) succeededAt = now();
    } catch {
      // A failed check means absent; the part itself logs the reason.
    } finally {
      running = undefined;
    }
  };
  return async () => {
    running ??= run();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, answerWithinMs).unref();
    });
    await Promise.race([running, late]);
    clearTimeout(timer);
    return now() - succeededAt < presentForMs;
  };
}
