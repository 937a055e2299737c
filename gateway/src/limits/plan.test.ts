import type { Authenticated } from '../access/authenticate.ts';
import { testPrincipal } from '../testing.ts';
import { allowanceOf } from './plan.ts';

const limits = { plan: 'free', monthlyCalls: 1_000, ratePerMinute: 60, burst: 10 } as const;
const who = {
  ...testPrincipal,
  tenantId: 7,
  keyId: 9,
  userId: 5,
  environment: null,
  limits,
} as unknown as Authenticated['who'];
const anonymous = { perMinute: 60, burst: 10 };
const allowance = (by: Authenticated['by'], more: object = {}, environment: 'live' | 'sandbox' = 'live') =>
  allowanceOf({ who: { ...who, ...more }, by, environment, endsAt: undefined }, '203.0.113.7', anonymous);

it('a key counts against the plan of its tenant, and only live keys against the quota', () => {
  expect(allowance('key')).toMatchObject({
    subject: 't:7',
    perMinute: 60,
    burst: 10,
    quota: { limit: 1_000, counts: true },
  });
  expect(allowance('key', {}, 'sandbox').quota?.counts).toBe(false);
  expect(allowance('key', { keyId: 10 }).subject).toBe(allowance('key').subject);
});

it('a person has an allowance of their own, without a quota, in all of their sessions', () => {
  const person = { perMinute: 600, burst: 100, quota: undefined };
  expect(allowance('user', { sessionId: 1 })).toMatchObject(person);
  expect(allowance('user', { sessionId: 1 }).subject).toBe(allowance('user', { sessionId: 2 }).subject);
  const portal = allowance('portal', { userId: null, partnerId: 2, portalUserId: 5 });
  expect(portal).toMatchObject(person);
  const subjects = [allowance('key'), allowance('user'), allowance('user', { userId: 6 }), portal].map(
    (one) => one.subject,
  );
  expect(new Set(subjects).size).toBe(4);
});
