import { randomBytes } from 'node:crypto';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import {
  anonymous,
  aTenant,
  mailTo,
  password,
  type Service,
  startIdentity,
  tokenIn,
} from '../../identity.test-service.ts';

describe('an e-mail address in many tenants', () => {
  let mailbox: Mailbox;
  let service: Service;
  beforeAll(async () => {
    mailbox = await startMailbox();
    service = await startIdentity({ SMTP_URL: mailbox.smtpUrl });
  });
  afterAll(async () => {
    await service?.close();
    await mailbox?.close();
  });

  const anAddress = () => `${randomBytes(6).toString('hex')}@example.com`;
  const squat = async (email: string) => {
    const owner = { email, password: 'of the stranger', firstName: 'Ada', lastName: 'Lovelace' };
    for (let tenant = 0; tenant < 5; tenant++)
      await anonymous(service).createTenant({ body: { name: 'Squatter', owner } });
  };
  const login = (email: string, more: object = {}) => anonymous(service).login({ body: { email, password, ...more } });

  it('does not lock out the user who signs up after five strangers did with the address', async () => {
    const email = anAddress();
    await squat(email);
    await aTenant(service, email);
    expect((await login(email)).status).toBe(200);
  });

  it('refuses a wrong password in the same time for an unknown address and for one of five tenants', async () => {
    const many = anAddress();
    await squat(many);
    const msOf = async (email: string) => {
      const startedAt = performance.now();
      expect((await login(email)).status).toBe(401);
      return performance.now() - startedAt;
    };
    const times = { unknown: [] as number[], known: [] as number[] };
    // In turns, so that other load of the machine affects both.
    // The fastest of several, which the load disturbs least.
    const difference = () => Math.abs(Math.min(...times.known) - Math.min(...times.unknown));
    for (let attempt = 0; attempt < 5 || (attempt < 20 && difference() >= 100); attempt++) {
      times.unknown.push(await msOf(anAddress()));
      times.known.push(await msOf(many));
    }
    expect(Math.min(...times.unknown)).toBeGreaterThan(395);
    expect(difference()).toBeLessThan(100);
  }, 120_000);

  it('limits the password checks per login, and each tenant is reachable by its id', async () => {
    const { email, tenant } = await aTenant(service, anAddress());
    await squat(email);
    expect((await login(email)).status).toBe(401);
    expect((await login(email, { tenantId: tenant.id })).status).toBe(200);
  });

  it('tries a tenant whose user has proven the address first', async () => {
    const { email } = await aTenant(service, anAddress());
    const token = tokenIn(await mailTo(mailbox, email, /^Confirm/));
    expect((await anonymous(service).verifyEmail({ body: { token } })).status).toBe(200);
    await squat(email);
    expect((await login(email)).status).toBe(200);
  });

  it('sends the link for a forgotten password for the tenant of the request, and it proves the address', async () => {
    const { email, tenant } = await aTenant(service, anAddress());
    await squat(email);
    const asked = await anonymous(service).forgotPassword({ body: { email, tenantId: tenant.id } });
    expect([asked.status, asked.data]).toEqual([202, { accepted: true }]);
    const token = tokenIn(await mailTo(mailbox, email, /^Reset your password/));
    expect((await anonymous(service).resetPassword({ body: { token, new: password } })).status).toBe(200);
    expect((await login(email)).status).toBe(200);
    expect(mailbox.to(email).filter(({ subject }) => /^Reset/.test(subject))).toHaveLength(1);
  });
});
