/** A wait that ends at the earliest of the times that were set. Times may be set before the wait and during it. */
export class AlarmClock {
  #at = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #ring: (() => void) | undefined;

  /** Sets a time, in milliseconds since 1970. It has no effect when an earlier one is set. */
  set(at: number): void {
    if (at >= this.#at) return;
    this.#at = at;
    if (this.#ring) this.#arm(this.#ring);
  }

  /** Forgets the times that were set. */
  reset(): void {
    this.#at = Number.POSITIVE_INFINITY;
  }

  /** Resolves at the earliest time, at once if it has passed. A time must be set that is at most 24 days away. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#ring = () => {
        this.#ring = undefined;
        resolve();
      };
      this.#arm(this.#ring);
    });
  }

  #arm(ring: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(ring, Math.max(this.#at - Date.now(), 0));
  }
}
