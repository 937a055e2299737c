/** A wait that `wake` ends early. A wake while nobody waits ends the next wait at once. */
export interface Alarm {
  wake(): void;
  wait(ms: number): Promise<void>;
}

/** Creates an alarm that nobody has woken yet. */
export function createAlarm(): Alarm {
  let endWait: (() => void) | undefined;
  let wasWoken = false;
  return {
    wake() {
      wasWoken = true;
      endWait?.();
    },
    async wait(ms) {
      if (!wasWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          endWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      endWait = undefined;
      wasWoken = false;
    },
  };
}
