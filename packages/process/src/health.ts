/** Liveness and readiness of a process, for load balancers and supervisors. */
export interface Health {
  /**
   * Registers a dependency that readiness requires. `check` throws or resolves to false while the dependency is
   * unavailable. A dependency counts as available for 15 s after its last success, so that a check that waits for a
   * busy pool does not take the instance out of rotation.
   */
  need(name: string, check: () => boolean | Promise<boolean>): void;
  /** The response to /healthz or /readyz; undefined for any other path. */
  check(path: string): Promise<{ status: number; body: string } | undefined>;
  /** Makes /readyz answer 503 from now on, because the process is about to exit. */
  drain(): void;
}

const checkWithinMs = 1_000;
const presentForMs = 15_000;

/** Creates the health state of one process. */
export function createHealth(now: () => number = () => performance.now()): Health {
  const needs = new Map<string, () => Promise<boolean>>();
  let isDraining = false;
  return {
    need: (name, check) => void needs.set(name, rememberSuccess(check, now)),
    drain: () => {
      isDraining = true;
    },
    async check(path) {
      if (path === '/healthz') return { status: 200, body: JSON.stringify({ status: 'ok' }) };
      if (path !== '/readyz') return undefined;
      const parts = await Promise.all([...needs].map(async ([name, isPresent]) => [name, await isPresent()] as const));
      const isReady = !isDraining && parts.every(([, isPresent]) => isPresent);
      const status = isDraining ? 'draining' : isReady ? 'ok' : 'unavailable';
      return { status: isReady ? 200 : 503, body: JSON.stringify({ status, parts: Object.fromEntries(parts) }) };
    },
  };
}

/** Runs one check at a time, and falls back to the latest success when the check is slow or fails. */
function rememberSuccess(check: () => boolean | Promise<boolean>, now: () => number): () => Promise<boolean> {
  let succeededAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  const run = async () => {
    try {
      if (await check()) succeededAt = now();
    } catch {
      // A failed check means that the dependency is unavailable; the dependency itself logs the reason.
    } finally {
      running = undefined;
    }
  };
  return async () => {
    running ??= run();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, checkWithinMs).unref();
    });
    await Promise.race([running, late]);
    clearTimeout(timer);
    return now() - succeededAt < presentForMs;
  };
}
