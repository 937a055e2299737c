// A lease of 25 s survives four failed renewals. A run that never ends loses its rows after 10 minutes.
const renewals = { everyMs: 5_000, max: 120 };

/**
 * Renews a lease every 5 s, for at most 10 minutes. The lease ends when its process is killed, or when its event loop is
 * blocked for as long as the lease: then another process takes over.
 * @param renew extends the lease; resolves to whether the run still has it
 * @returns ends the renewal
 */
export function keepLease(renew: () => Promise<boolean>, { everyMs, max } = renewals): () => void {
  let renewing: Promise<void> | undefined;
  let tried = 0;
  const timer = setInterval(() => {
    tried += 1;
    if (tried >= max) clearInterval(timer);
    // A renewal that fails leaves time for the next one.
    renewing ??= renew()
      .then((isKept) => void (isKept || clearInterval(timer)))
      .catch(() => {})
      .finally(() => (renewing = undefined));
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
