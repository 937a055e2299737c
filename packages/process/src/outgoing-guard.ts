type Check = () => string | undefined;

const checks: Check[] = [];

/**
 * Refuses calls to other systems while work is under way that must not wait for them. What makes such calls (the client
 * of other services, providers, receivers, stores of files) asks before each one.
 */
export const outgoingGuard = {
  /** @param check tells why nothing may be called right now, in the current asynchronous context; undefined otherwise */
  refuseWhile(check: Check): void {
    checks.push(check);
  },

  /**
   * @param target what is about to be called
   * @throws when something forbids it
   */
  assertMayCall(target: string): void {
    for (const check of checks) {
      const reason = check();
      if (reason) throw new Error(`${target} must not be called here: ${reason}`);
    }
  },
};
