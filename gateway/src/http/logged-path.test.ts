import { loggedPath } from './logged-path.ts';

describe('a path in the log', () => {
  const token = 'kM3_v-'.repeat(8);

  it.each([
    [`/s/${token}`, '/s/***'],
    [`/s/${token}/download`, '/s/***/download'],
    [`/v1/public/statements/${token}.${token}`, '/v1/public/statements/***.***'],
    [`/v1/leads/svc_live_sk_${'a'.repeat(38)}`, '/v1/leads/***'],
    ['/v1/partners/co-marketing/Wq8ZtR3mKx61LdVb/archive', '/v1/partners/co-marketing/Wq8ZtR3mKx61LdVb/archive'],
  ])('of %s is %s', (path, shown) => {
    expect(loggedPath(path)).toBe(shown);
  });

  it('is cut only after its secrets are gone', () => {
    const shown = loggedPath(`/${'a/'.repeat(90)}${token}/${'b/'.repeat(90)}`);
    expect([shown.length, shown.includes(token.slice(0, 10))]).toEqual([200, false]);
  });
});
