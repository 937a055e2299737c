import { randomUUID } from 'node:crypto';
import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

let domains = 0;
const aDomain = () => `company${++domains}.example`;
const lead = async (api: Api, email: string, fields = {}) =>
  (await api.createLead({ body: aLead({ email, ...fields }) })).data;
const accountOf = async (api: Api, id: string) => (await api.getLead({ params: { id } })).data.accountId;
const account = async (api: Api, domain: string | null) =>
  (await api.createAccount({ body: { name: 'Engines', domain } })).data;

describe('a lead with a company address', () => {
  it('is put to the account of its domain, unless the request names an account or none', async () => {
    const api = service.as();
    const domain = aDomain();
    const { id } = await account(api, domain);
    const other = await account(api, null);
    expect((await lead(api, `Ada@${domain.toUpperCase()}`)).accountId).toBe(id);
    expect((await lead(api, `ada@${domain}`, { accountId: other.id })).accountId).toBe(other.id);
    expect((await lead(api, `ada@${domain}`, { accountId: null })).accountId).toBeNull();
    expect((await lead(api, `ada@sub.${domain}`)).accountId).toBeNull();
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect((await lead(sandbox, `ada@${domain}`)).accountId).toBeNull();
  });

  it('is never put to an account with the domain of a public mail provider', async () => {
    const api = service.as();
    const before = await lead(api, 'ada@gmail.com');
    await account(api, 'gmail.com');
    expect((await lead(api, 'grace@gmail.com')).accountId).toBeNull();
    // The job of another account ends after the event of this one was handled.
    const domain = aDomain();
    const later = await lead(api, `ada@${domain}`);
    await account(api, domain);
    await until('the lead has its account', async () => (await accountOf(api, later.id)) !== null);
    expect(await accountOf(api, before.id)).toBeNull();
  });

  it('follows a new address, if it has no account', async () => {
    const api = service.as();
    const [one, two] = [aDomain(), aDomain()];
    const [first] = [await account(api, one), await account(api, two)];
    const { id } = await lead(api, 'ada@gmail.com');
    const update = async (email: string) => (await api.updateLead({ params: { id }, body: { email } })).data.accountId;
    expect(await update(`ada@${one}`)).toBe(first.id);
    expect(await update(`ada@${two}`)).toBe(first.id);
  });
});

describe('matchAccounts', () => {
  it('gives a new account the leads of its domain that have none, with version and event', async () => {
    const api = service.as();
    const domain = aDomain();
    const other = await account(api, null);
    const [free, taken, similar] = [
      await lead(api, `Ada@${domain}`),
      await lead(api, `bob@${domain}`, { accountId: other.id }),
      await lead(api, `eve@not${domain}`),
    ];
    const { id } = await account(api, domain);
    await until('the lead has its account', async () => (await accountOf(api, free.id)) === id);
    expect((await api.getLead({ params: { id: free.id } })).data.version).toBe(2);
    expect([await accountOf(api, taken.id), await accountOf(api, similar.id)]).toEqual([other.id, null]);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'lead.updated' && one.target.id === Number(free.id)),
    );
    expect([event.caller.type, event.changes]).toEqual(['system', { accountId: { from: null, to: Number(id) } }]);
  });

  it('takes more leads than fit into one transaction, for a changed domain and a restored account', async () => {
    const api = service.as();
    const domain = aDomain();
    await service.sqlWithin(
      api.caller,
      `INSERT INTO lead (email, first_name, last_name) SELECT n || '@${domain}', 'A', 'B' FROM generate_series(1, 130) n`,
    );
    const { id } = await account(api, null);
    await api.updateAccount({ params: { id }, body: { domain } });
    const total = async () => (await api.listLeads({ query: { accountId: id } })).body.pagination?.total;
    await until('all leads have the account', async () => (await total()) === 130);
    await api.deleteAccount({ params: { id } });
    const late = await lead(api, `late@${domain}`);
    expect(late.accountId).toBeNull();
    await api.restoreAccount({ params: { id } });
    await until('the late lead has it', async () => (await accountOf(api, late.id)) === id);
  });

  it('puts an event that cannot be read aside, and handles the same event once', async () => {
    const api = service.as();
    await service.publish('account.created', Buffer.from('{ not json'), randomUUID());
    await until('it is a dead letter', async () => (await service.deadLetters('match-accounts')).length === 1);
    const domain = aDomain();
    const { id } = await account(api, domain);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'account.created' && one.target.id === Number(id)),
    );
    await service.publish('account.created', event, event.id);
    const free = await lead(api, `a@${domain}`, { accountId: null });
    expect(await accountOf(api, free.id)).toBeNull();
  });
});
