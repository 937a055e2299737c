import { type Caller, createCallerSigner, ExpiredCallerError } from './index.ts';

const secrets = `k2:${'b'.repeat(32)},k1:${'a'.repeat(32)}`;
const caller: Caller = { type: 'key', tenantId: 7, environment: 'live', permissions: ['*'], requestId: 'req_1' };

describe('the signed caller', () => {
  it('is verified for the request it was signed for', () => {
    const signer = createCallerSigner(secrets);
    expect(signer.verify(signer.sign(caller, 'GET', '/v1/leads'), 'GET', '/v1/leads')).toEqual(caller);
  });

  it('is rejected for any other path and method', () => {
    const signer = createCallerSigner(secrets);
    const header = signer.sign(caller, 'GET', '/v1/leads');
    expect(signer.verify(header, 'GET', '/v1/leads/1')).toBeUndefined();
    expect(signer.verify(header, 'DELETE', '/v1/leads')).toBeUndefined();
  });

  it('expires after 30 seconds', () => {
    let now = Date.now();
    const signer = createCallerSigner(secrets, () => now);
    const header = signer.sign(caller, 'GET', '/v1/leads');
    now += 29_000;
    expect(signer.verify(header, 'GET', '/v1/leads')).toBeDefined();
    now += 2_000;
    expect(() => signer.verify(header, 'GET', '/v1/leads')).toThrow(ExpiredCallerError);
    expect(signer.verify(header, 'GET', '/v1/leads/1')).toBeUndefined();
    expect(signer.verify(`${header.slice(0, -1)}_`, 'GET', '/v1/leads')).toBeUndefined();
  });

  it('is accepted under an older secret during a rotation, and never under an unknown one', () => {
    const before = createCallerSigner(`k1:${'a'.repeat(32)}`);
    const after = createCallerSigner(secrets);
    const stranger = createCallerSigner(`k1:${'x'.repeat(32)}`);
    expect(after.verify(before.sign(caller, 'GET', '/'), 'GET', '/')).toEqual(caller);
    expect(after.verify(stranger.sign(caller, 'GET', '/'), 'GET', '/')).toBeUndefined();
  });

  it('is accepted between instances in two successive steps of a rotation, in both directions', () => {
    const [a, b] = [`k1:${'a'.repeat(32)}`, `k2:${'b'.repeat(32)}`];
    const steps = [a, `${a},${b}`, `${b},${a}`, b].map((setting) => createCallerSigner(setting));
    for (const [at, after] of steps.entries()) {
      const before = steps[Math.max(0, at - 1)] as typeof after;
      expect(after.verify(before.sign(caller, 'GET', '/'), 'GET', '/')).toEqual(caller);
      expect(before.verify(after.sign(caller, 'GET', '/'), 'GET', '/')).toEqual(caller);
    }
  });

  it('requires secrets with ids and at least 32 characters', () => {
    for (const setting of ['', 'a'.repeat(32), `k1:${'a'.repeat(31)}`, `k1:${'a'.repeat(32)},${'b'.repeat(32)}`])
      expect(() => createCallerSigner(setting)).toThrow();
  });

  it.each([undefined, '', 'a.b', 'k1.e30.', 'k1.e30.AAAA', 'k9.e30.AAAA', 'k1.e30.AAAA.more', `${'x'.repeat(10_000)}`])(
    'refuses %j',
    (header) => {
      expect(createCallerSigner(secrets).verify(header, 'GET', '/')).toBeUndefined();
    },
  );
});
