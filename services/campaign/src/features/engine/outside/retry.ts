// How often a node's effect in another service is tried: with the delays below, for about a day.
const attemptsMax = 30;
const delayMaxMs = 3_600_000;

/** When a fault of another service is tried again; undefined after the last attempt. */
export function retryAt(attempts: number): Date | undefined {
  return attempts >= attemptsMax ? undefined : new Date(Date.now() + Math.min(2_000 * 2 ** attempts, delayMaxMs));
}

const busyMs = 15_000;

/** The outcome of a text that was not rendered because the threads are busy, with templates that take long. */
export function threadsBusy(): { is: 'postponed'; until: Date; reason: string } {
  return { is: 'postponed', until: new Date(Date.now() + busyMs), reason: 'rendering_busy' };
}
