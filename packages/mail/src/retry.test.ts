import { attemptOf, nextAttempt } from './retry.ts';

const now = new Date('2026-01-01T00:00:00Z');
const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

it('tries again with growing delays, up to an hour', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((attempts) => {
    const at = nextAttempt(attempts, after(1_000_000), now);
    return at && (at.getTime() - now.getTime()) / 1_000;
  });
  expect(delays).toEqual([2, 15, 60, 300, 900, 1_800, 3_600, 3_600, 3_600]);
});

it('does not try again at or after the time until which the message is worth sending', () => {
  expect(nextAttempt(2, after(15), now)).toBeUndefined();
  expect(nextAttempt(2, after(16), now)).toEqual(after(15));
});

it.each([
  ['a refused recipient', { code: 'EENVELOPE', responseCode: 550 }, 'refused'],
  ['a recipient refused for now', { code: 'EENVELOPE', responseCode: 451 }, 'postponed'],
  ['an invalid recipient, found before it is sent', { code: 'EENVELOPE' }, 'refused'],
  ['refused content', { code: 'EMESSAGE', responseCode: 554 }, 'refused'],
  ['content refused for now', { code: 'EMESSAGE', responseCode: 452 }, 'postponed'],
  ['refused credentials', { code: 'EAUTH', responseCode: 535 }, 'postponed'],
  ['a server that closes', { code: 'EPROTOCOL', responseCode: 554 }, 'postponed'],
  ['an unreachable server', { code: 'ESOCKET' }, 'postponed'],
  ['a server that does not answer', { code: 'ETIMEDOUT' }, 'postponed'],
])('of an attempt that failed by %s, knows whether it is final', (_, error, outcome) => {
  expect(attemptOf(Object.assign(new Error('the reason'), error))).toEqual({ outcome, error: 'the reason' });
});
