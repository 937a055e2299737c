type Check = () => string | undefined;

const checks: Check[] = [];

/**
 * Rejects calls to other systems while the current work must not wait for them, such as inside a database transaction.
 * Every client of another system (services, providers, webhook endpoints, file stores) asks before each call.
 */
export const outgoingGuard = {
  /**
   * @param check returns the reason why no call is allowed in the current asynchronous context; undefined when calls
   * are allowed
   */
  rejectWhile(check: Check): void {
    checks.push(check);
  },

  /**
   * @param target the system that is about to be called
   * @throws when calls are not allowed now
   */
  assertMayCall(target: string): void {
    for (const check of checks) {
      const reason = check();
      if (reason) throw new Error(`${target} must not be called in this code: ${reason}`);
    }
  },
};
