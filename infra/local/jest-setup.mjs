// Adds to jest-light-runner what it lacks: a time limit for tests and hooks, and the cause of an error in its report.

// Longer than `until` waits, so that what it waited for is in the message.
const defaultMs = 60_000;

function limited(work, timeoutMs = defaultMs) {
  return async (...args) => {
    let timer;
    const timeout = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`Not finished within ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      await Promise.race([work(...args), timeout]);
    } catch (error) {
      throw withCause(error);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The runner prints the stack only, and fails for a value without one. */
function withCause(thrown) {
  const error = thrown instanceof Error ? thrown : new Error(`Thrown: ${JSON.stringify(thrown)}`);
  if (error.cause instanceof Error) error.stack += `\nCause: ${withCause(error.cause).stack}`;
  return error;
}

for (const name of ['beforeAll', 'beforeEach', 'afterAll', 'afterEach']) {
  const register = globalThis[name];
  globalThis[name] = (work, timeoutMs) => register(limited(work, timeoutMs));
}

const { it } = globalThis;
globalThis.it = Object.assign((title, work, timeoutMs) => it(title, limited(work, timeoutMs)), it);
globalThis.it.each =
  (...table) =>
  (title, work, timeoutMs) =>
    it.each(...table)(title, limited(work, timeoutMs));
