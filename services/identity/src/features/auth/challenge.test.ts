import { randomBytes } from 'node:crypto';
import { createSeal } from '@tandem/sealed';
import { challengeFor, isOfPassword, readChallenge } from './challenge.ts';

const seal = createSeal(randomBytes(32).toString('base64'));
const user = { id: 5, passwordHash: 'hash' };
const tx = { totp: { findFirst: async () => null } } as never;
const tenant = { tenantId: 7, requireTotp: true };

it('names user and tenant for five minutes, as long as the password stays', async () => {
  const { challengeToken = '' } = (await challengeFor(tx, { user, tenant }, seal)) ?? {};
  expect(challengeToken).toMatch(/^[\w.-]+$/);
  const challenge = readChallenge(challengeToken, seal);
  expect(challenge).toMatchObject({ tenantId: 7, userId: 5 });
  expect(isOfPassword(challenge as never, user)).toBe(true);
  expect(isOfPassword(challenge as never, { passwordHash: 'another' })).toBe(false);
  expect(readChallenge(challengeToken, seal, Date.now() + 301_000)).toBeUndefined();
});

it('is not issued to users who need no second factor', async () => {
  expect(await challengeFor(tx, { user, tenant: { ...tenant, requireTotp: false } }, seal)).toBeUndefined();
});
