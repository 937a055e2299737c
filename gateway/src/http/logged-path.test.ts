import { loggedPath } from './logged-path.ts';

describe('loggedPath', () => {
  const token = 'kM3_v-'.repeat(8);

  it.each([
    [`/s/${token}`, '/s/***'],
    [`/s/${token}/download`, '/s/***/download'],
    [`/v1/public/statements/${token}.${token}`, '/v1/public/statements/***'],
    [`/s/${token.replaceAll('-', '%2d')}`, '/s/***'],
    [`/s/${token.replaceAll('-', '%252D')}/download`, '/s/***/download'],
    [`/s/${token.replaceAll('-', '%2')}`, '/s/***'],
    [`/s/${token.replaceAll('-', '.')}`, '/s/***'],
    [`/s/${token.replaceAll('-', '%2E')}`, '/s/***'],
    [`/v1/leads/${'%C3%A4'.repeat(10)}`, `/v1/leads/${'%C3%A4'.repeat(10)}`],
    [`/v1/leads/svc_live_sk_${'a'.repeat(38)}`, '/v1/leads/***'],
    ['/v1/partners/co-marketing/Wq8ZtR3mKx61LdVb/archive', '/v1/partners/co-marketing/Wq8ZtR3mKx61LdVb/archive'],
  ])('logs %s as %s', (path, logged) => {
    expect(loggedPath(path)).toBe(logged);
  });

  it('redacts secrets before it truncates', () => {
    const logged = loggedPath(`/${'a/'.repeat(90)}${token}/${'b/'.repeat(90)}`);
    expect([logged.length, logged.includes(token.slice(0, 10))]).toEqual([200, false]);
  });
});
