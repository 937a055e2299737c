import { cookieHeader, readCookies, setCookieHeader } from './cookies.ts';

describe('reading cookies', () => {
  it.each([
    ['the named one among others', 'a=1; session=abc; b=2', { session: 'abc' }],
    ['the first of two with one name', 'session=first; session=second', { session: 'first' }],
    ['no value that the API does not set', 'session="quoted"; session=a b', {}],
    ['nothing without a header', undefined, {}],
  ])('returns %s', (_, header, expected) => {
    expect(readCookies(header, ['session'])).toEqual(expected);
  });

  it('ignores names of object properties that were not asked for', () => {
    expect(readCookies('__proto__=a; constructor=b', ['session'])).toEqual({});
  });
});

describe('writing cookies', () => {
  const attributes = { path: '/v1/auth', maxAgeSeconds: 60, sameSite: 'Strict', secure: true } as const;

  it('sets every attribute', () => {
    expect(setCookieHeader('session', 'abc', attributes)).toBe(
      'session=abc; Path=/v1/auth; Max-Age=60; HttpOnly; SameSite=Strict; Secure',
    );
    expect(setCookieHeader('session', '', { ...attributes, maxAgeSeconds: 0, secure: false })).toBe(
      'session=; Path=/v1/auth; Max-Age=0; HttpOnly; SameSite=Strict',
    );
  });

  it('refuses values that would inject attributes', () => {
    expect(() => setCookieHeader('session', 'a; Domain=example.com', attributes)).toThrow('session');
  });

  it('writes what it reads', () => {
    expect([cookieHeader({ a: '1', b: '2' }), cookieHeader({})]).toEqual(['a=1; b=2', undefined]);
  });
});
