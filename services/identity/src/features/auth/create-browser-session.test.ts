import { anonymous, aTenant, password, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const cookieOf = ({ headers }: { headers: Record<string, string> }) => [headers['set-cookie']].flat()[0] ?? '';
const tokenIn = (cookie: string) => /^tandem_refresh=([^;]*)/.exec(cookie)?.[1] as string;
const withCookie = (token: string) => ({ headers: { cookie: `tandem_refresh=${token}` } });

async function aBrowser() {
  const tenant = await aTenant(service);
  const opened = await anonymous(service).createBrowserSession({ body: { email: tenant.email, password } });
  return { tenant, opened, token: tokenIn(cookieOf(opened)) };
}

describe('a browser session', () => {
  it('keeps the refresh token in a cookie that scripts cannot read', async () => {
    const { opened } = await aBrowser();
    expect([opened.status, Object.keys(opened.data).sort()]).toEqual([200, ['accessToken', 'expiresIn', 'tokenType']]);
    expect(cookieOf(opened)).toMatch(
      /^tandem_refresh=[\w-]{43}; Path=\/v1\/auth; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
  });

  it('is opened with a refresh token too, which is exchanged', async () => {
    const tenant = await aTenant(service);
    const { refreshToken } = tenant;
    const opened = await anonymous(service).createBrowserSession({ body: { refreshToken } });
    expect(opened.status).toBe(200);
    expect(tokenIn(cookieOf(opened))).not.toBe(refreshToken);
  });

  it('is refreshed by its cookie, which is replaced; two tabs get the same one', async () => {
    const { token } = await aBrowser();
    const [one, other] = await Promise.all(
      [1, 2].map(() => anonymous(service).refreshSession({ body: {}, ...withCookie(token) })),
    );
    expect([one?.status, one?.data.refreshToken, typeof one?.data.accessToken]).toEqual([200, undefined, 'string']);
    expect(tokenIn(cookieOf(one as never))).not.toBe(token);
    expect(cookieOf(one as never)).toBe(cookieOf(other as never));
  });

  it('does not answer a refresh token of the body with a cookie', async () => {
    const tenant = await aTenant(service);
    const reply = await anonymous(service).refreshSession({ body: { refreshToken: tenant.refreshToken } });
    expect([reply.status, cookieOf(reply)]).toEqual([200, '']);
  });

  it('ends with its cookie; without one, ending it changes nothing', async () => {
    const { token } = await aBrowser();
    const ended = await anonymous(service).endBrowserSession(withCookie(token));
    expect([ended.status, tokenIn(cookieOf(ended))]).toEqual([200, '']);
    expect(cookieOf(ended)).toContain('Max-Age=0');
    const refreshed = await anonymous(service).refreshSession({ body: {}, ...withCookie(token) });
    expect(refreshed.body).toMatchObject({ status: 401, code: 'bad_refresh_token' });
    for (const request of [{}, withCookie('x'.repeat(43)), withCookie(token)])
      expect((await anonymous(service).endBrowserSession(request)).data).toEqual({ signedOut: true });
  });

  it('needs either a refresh token, or an e-mail address and a password', async () => {
    const { email, refreshToken } = await aTenant(service);
    const fieldOf = async (body: object) =>
      (await anonymous(service).createBrowserSession({ body })).body.errors?.map(({ field }) => field);
    expect(await fieldOf({})).toEqual(['email']);
    expect(await fieldOf({ email })).toEqual(['password']);
    expect(await fieldOf({ email, password, refreshToken })).toEqual(['refreshToken']);
    const wrong = await anonymous(service).createBrowserSession({ body: { email, password: 'wrong' } });
    expect([wrong.body.code, cookieOf(wrong)]).toEqual(['bad_credentials', '']);
  });
});

it('sends the cookie over https only where the API is reached over https', async () => {
  const secure = await startIdentity({ PUBLIC_URL: 'https://api.example.com' });
  try {
    const { email } = await aTenant(secure);
    const opened = await anonymous(secure).createBrowserSession({ body: { email, password } });
    expect(cookieOf(opened)).toMatch(/; Secure$/);
  } finally {
    await secure.close();
  }
});
