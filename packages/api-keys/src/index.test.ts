import { createApiKey, createPepper, keyPrefix, readApiKey } from './index.ts';

describe('an API key', () => {
  it.each(['live', 'sandbox'] as const)(
    'of %s carries its environment, 40 random digits and a checksum',
    (environment) => {
      const { key, prefix, last4 } = createApiKey(environment);
      expect(key).toMatch(/^svc_(live|sandbox)_sk_[0-9A-Za-z]{46}$/);
      expect([prefix, last4]).toEqual([keyPrefix(environment), key.slice(-4)]);
      expect(readApiKey(key)).toEqual({ environment });
    },
  );

  it('with one character changed is no key, wherever that is', () => {
    const { key } = createApiKey('live');
    for (let at = keyPrefix('live').length; at < key.length; at++) {
      const changed = key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1);
      expect(readApiKey(changed)).toBeUndefined();
    }
  });

  it('of one environment does not read as one of the other', () => {
    expect(readApiKey(createApiKey('live').key.replace('live', 'sandbox'))).toBeUndefined();
  });

  it.each(['', 'svc_live_sk_', 'svc_test_sk_0000', ' svc_live_sk_x', 'x'.repeat(10_000)])('is not %j', (text) => {
    expect(readApiKey(text)).toBeUndefined();
  });

  it('keeps its form: a key made by an earlier release still reads', () => {
    expect(readApiKey('svc_sandbox_sk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd2ug1Ab')).toEqual({
      environment: 'sandbox',
    });
  });

  it('hashes to the same under one pepper and to something else under another', () => {
    const [p, q] = [createPepper('p'), createPepper('q')];
    expect(p.hash('svc_live_sk_a')).toMatch(/^[0-9a-f]{64}$/);
    expect(p.hash('svc_live_sk_a')).toBe(createPepper('p').hash('svc_live_sk_a'));
    expect(p.hash('svc_live_sk_a')).not.toBe(q.hash('svc_live_sk_a'));
  });

  it('keeps its hash while a pepper replaces another: with or without an id, current or previous', () => {
    const before = createPepper('p').hash('svc_live_sk_a');
    expect(createPepper('k1:p').hash('svc_live_sk_a')).toBe(before);
    expect(createPepper('k2:q,k1:p').previous('svc_live_sk_a')).toEqual([before]);
    expect([createPepper('k2:q,p').id, createPepper('p').id]).toEqual(['k2', null]);
  });
});
