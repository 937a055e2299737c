/** A wait that ends early when somebody wakes it; a wake while nobody waits is remembered. */
export interface Alarm {
  wake(): void;
  wait(ms: number): Promise<void>;
}

export function createAlarm(): Alarm {
  let ring: (() => void) | undefined;
  let rung = false;
  return {
    wake() {
      rung = true;
      ring?.();
    },
    async wait(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          ring = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      ring = undefined;
      rung = false;
    },
  };
}
