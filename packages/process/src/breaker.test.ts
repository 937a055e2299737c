import { type Breaker, createBreaker, type TripRule } from './breaker.ts';

const clock = { now: 0 };
const aBreaker = (trip: TripRule) => createBreaker({ trip, openMs: 1_000, now: () => clock.now });
const fail = (breaker: Breaker, times: number) => {
  for (let count = 0; count < times; count++) breaker.failed();
};

describe('a breaker that opens by the share of failures', () => {
  const byShare = () => aBreaker({ failures: 5, share: 0.5, windowMs: 10_000 });

  it('opens after five failures that are at least half of the calls', () => {
    const breaker = byShare();
    fail(breaker, 4);
    expect([breaker.state(), breaker.admits()]).toEqual(['closed', true]);
    fail(breaker, 1);
    expect([breaker.state(), breaker.admits()]).toEqual(['open', false]);
  });

  it('stays closed while most calls succeed', () => {
    const breaker = byShare();
    for (let count = 0; count < 20; count++) breaker.succeeded();
    fail(breaker, 10);
    expect(breaker.state()).toBe('closed');
  });

  it('becomes half-open by time, without a call', () => {
    const breaker = byShare();
    fail(breaker, 5);
    clock.now += 1_000;
    expect(breaker.state()).toBe('half-open');
  });

  it('admits one probe while half-open, and closes when it succeeds', () => {
    const breaker = byShare();
    fail(breaker, 5);
    clock.now += 1_000;
    expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
    breaker.succeeded();
    expect([breaker.state(), breaker.admits(), breaker.admits()]).toEqual(['closed', true, true]);
  });

  it('opens again when the probe fails, and admits another probe when one has no outcome', () => {
    const breaker = byShare();
    fail(breaker, 5);
    clock.now += 1_000;
    expect(breaker.admits()).toBe(true);
    breaker.failed();
    expect(breaker.state()).toBe('open');
    clock.now += 1_000;
    expect([breaker.admits(), breaker.admits()]).toEqual([true, false]);
    clock.now += 1_000;
    expect(breaker.admits()).toBe(true);
  });
});

describe('a breaker that opens by failures in a row', () => {
  it('counts from the latest success', () => {
    const breaker = aBreaker({ failuresInARow: 3 });
    fail(breaker, 2);
    breaker.succeeded();
    fail(breaker, 2);
    expect(breaker.state()).toBe('closed');
    fail(breaker, 1);
    expect(breaker.state()).toBe('open');
  });
});
