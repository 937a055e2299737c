/** Whether a process lives and whether it can work, for load balancers and for whoever starts it. */
export interface Health {
  /** Adds something the process cannot work without; `ready` throws or resolves to false while it is missing. */
  need(name: string, ready: () => boolean | Promise<boolean>): void;
  /** The answer of /healthz or /readyz; undefined for any other path. */
  answer(path: string): Promise<{ status: number; body: string } | undefined>;
  /** From now on /readyz says no: the process is about to end. */
  drain(): void;
}

const checkTimeoutMs = 1_000;

/** The health of one process. */
export function createHealth(): Health {
  const needs = new Map<string, () => boolean | Promise<boolean>>();
  let draining = false;
  return {
    need: (name, ready) => void needs.set(name, ready),
    drain: () => {
      draining = true;
    },
    async answer(path) {
      if (path === '/healthz') return { status: 200, body: JSON.stringify({ status: 'ok' }) };
      if (path !== '/readyz') return undefined;
      const parts = await Promise.all([...needs].map(async ([name, ready]) => [name, await isReady(ready)] as const));
      const works = !draining && parts.every(([, ready]) => ready);
      const body = { status: works ? 'ok' : draining ? 'draining' : 'unavailable', parts: Object.fromEntries(parts) };
      return { status: works ? 200 : 503, body: JSON.stringify(body) };
    },
  };
}

async function isReady(ready: () => boolean | Promise<boolean>): Promise<boolean> {
  const timeout = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), checkTimeoutMs).unref());
  // Any failure of a check means not ready; why is in the log of the part itself.
  const check = Promise.resolve()
    .then(ready)
    .catch(() => false);
  return Promise.race([check, timeout]);
}
