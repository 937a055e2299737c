import { createBreaker } from './breaker.ts';

describe('the circuit breaker', () => {
  function at(start = 0) {
    const clock = { now: start };
    return { clock, breaker: createBreaker(() => clock.now) };
  }
  const fail = (breaker: ReturnType<typeof createBreaker>, times: number) => {
    for (let count = 0; count < times; count++) breaker.failed();
  };

  it('opens after five failures that are at least half of the calls', () => {
    const { breaker } = at();
    fail(breaker, 4);
    expect(breaker.admits()).toBe(true);
    fail(breaker, 1);
    expect(breaker.admits()).toBe(false);
  });

  it('stays closed while most calls succeed', () => {
    const { breaker } = at();
    for (let count = 0; count < 20; count++) breaker.succeeded();
    fail(breaker, 10);
    expect(breaker.admits()).toBe(true);
  });

  it('lets one probe through a second, and closes when it succeeds', () => {
    const { breaker, clock } = at();
    fail(breaker, 5);
    clock.now += 1_001;
    expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
    breaker.succeeded();
    expect([breaker.admits(), breaker.admits()]).toEqual([true, true]);
  });
});
