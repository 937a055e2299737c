import { until } from '@tandem/testing';
import {
  type Api,
  anApprovedPartner,
  aPeer,
  type Peer,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';
import { aDraft, anApproved, answerOf, aSubmitted, dealOf, makeExpiryDue } from './deals.test-service.ts';

let peer: Peer;
let service: Service;
beforeAll(async () => {
  peer = await aPeer();
  service = await startPartner(peer);
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

const dayMs = 86_400_000;
const contactAt = (host: string) => ({ email: `ada@${host}`, firstName: 'Ada', lastName: 'Lovelace' });
const submit = (api: Api, { id }: { id: string }) => api.submitDealRegistration({ params: { id } });
const approve = (api: Api, { id }: { id: string }) => api.approveDealRegistration({ params: { id } });
const refused = [409, 'already_registered'];
const eventOf = (name: string, id: string) =>
  until(`${name} arrives`, () => service.events.find((one) => one.name === name && one.target.id === Number(id)));

describe('a submitted registration', () => {
  it.each([
    ['Müller & Söhne GmbH', 'MULLER SOHNE'],
    ['Acme, Inc.', 'ACME Ltd'],
    ['Torres S.L.', 'torres SA'],
    ['Zed Sp. z o.o.', 'Zed LLC'],
    ['Weiß GmbH & Co. KG', 'Weiss'],
    ['GmbH', 'gmbh'],
    // Zero-width and soft hyphen, and letters of other alphabets that look the same.
    ['Acme Rockets', 'Ac\u200bme Roc\u00adkets'],
    ['Acme Rockets', '\u0410\u0441me R\u043eckets'],
    ['Nokia Intel', '\u039dokia \u0399ntel'],
    ['Volvo', '\u03bdolv\u03bf'],
    ['ACME', '\u0410\u0421\u041c\u0415'],
    ['РОСТ', 'Рост'],
    ['ΝΕΑ', 'Νέα'],
  ])('protects %s from another partner who registers %s', async (company, other) => {
    const api = service.as();
    await aSubmitted(api, { company });
    expect(answerOf(await submit(api, await aDraft(api, { company: other })))).toEqual(refused);
  });

  it.each([
    ['Acme Rockets', 'Acme Engines'],
    ['Sa Nostra', 'Nostra'],
    ['Инком', 'Завод'],
    ['Company 1', 'Company l'],
    ['Modern', 'Modem'],
  ])('does not protect %s from %s', async (company, other) => {
    const api = service.as();
    await aSubmitted(api, { company });
    expect((await submit(api, await aDraft(api, { company: other }))).status).toBe(200);
  });

  it('protects the domain of the company, or of the contact, but not of public mail providers', async () => {
    const api = service.as();
    await aSubmitted(api, { companyDomain: 'www.engines.example' });
    const byContact = await aDraft(api, { contact: contactAt('ENGINES.example') });
    expect(answerOf(await submit(api, byContact))).toEqual(refused);
    await aSubmitted(api, { contact: contactAt('gmail.com') });
    const another = { ...contactAt('gmail.com'), email: 'grace@gmail.com' };
    expect((await submit(api, await aDraft(api, { contact: another }))).status).toBe(200);
  });

  it('protects the domain of the contact also beside an invented domain of the company', async () => {
    const api = service.as();
    await aSubmitted(api, { companyDomain: 'engines.example' });
    const invented = { companyDomain: 'invented.example', contact: contactAt('mail.engines.example') };
    expect(answerOf(await submit(api, await aDraft(api, invented)))).toEqual(refused);
    await aSubmitted(api, { companyDomain: 'alias.example', contact: contactAt('looms.example') });
    for (const fields of [{ contact: contactAt('looms.example') }, { companyDomain: 'looms.example' }])
      expect(answerOf(await submit(api, await aDraft(api, fields)))).toEqual(refused);
  });

  it('protects the mailbox of the contact, also at a public mail provider', async () => {
    const api = service.as();
    const contact = (email: string) => ({ contact: { ...contactAt('gmail.com'), email } });
    await aSubmitted(api, { companyDomain: 'engines.example', ...contact('Ada.Lovelace@gmail.com') });
    const other = await aDraft(api, contact('adalovelace+deals@googlemail.com'));
    expect(answerOf(await submit(api, other))).toEqual(refused);
    expect((await submit(api, await aDraft(api, contact('ada@gmail.com')))).status).toBe(200);
  });

  it('protects the domain that one owner has, with all below it', async () => {
    const api = service.as();
    const answer = async (first: string, second: string) => {
      await aSubmitted(api, { companyDomain: first });
      return (await submit(api, await aDraft(api, { companyDomain: second }))).status;
    };
    expect(await answer('engines.co.uk', 'eng.engines.co.uk')).toBe(409);
    expect(await answer('shop.looms.example', 'looms.example')).toBe(409);
    // Anybody can have a domain below these.
    expect(await answer('looms.co.uk', 'mills.co.uk')).toBe(200);
    expect(await answer('looms.github.io', 'mills.github.io')).toBe(200);
    expect(await answer('mail.gmail.com', 'gmail.com')).toBe(200);
  });

  it('is found by the keys that the release before stored', async () => {
    const api = service.as();
    const [named, sited] = [
      await aSubmitted(api, { company: 'Завод' }),
      await aSubmitted(api, { companyDomain: 'eng.acme.example' }),
    ];
    await service.sqlWithin(api.caller, `UPDATE deal_registration SET company_key = 'завод' WHERE id = ${named.id}`);
    await service.sqlWithin(
      api.caller,
      `UPDATE deal_registration SET domain_key = 'eng.acme.example' WHERE id = ${sited.id}`,
    );
    for (const fields of [{ company: 'Завод' }, { companyDomain: 'eng.acme.example' }])
      expect(answerOf(await submit(api, await aDraft(api, fields)))).toEqual(refused);
  });

  it('does not tell the other partner who or when, but shows managers the conflict', async () => {
    const api = service.as();
    const first = await aSubmitted(api, { company: 'Acme' });
    const second = await aDraft(api, { company: 'Acme' });
    const { body } = await submit(api, second);
    expect(body).toMatchObject({ code: 'already_registered', message: 'The company is already registered' });
    expect(body.errors ?? []).toEqual([]);
    expect((await dealOf(api, second.id)).conflictingIds).toEqual([first.id]);
    // A draft protects nothing.
    expect((await dealOf(api, first.id)).conflictingIds).toEqual([]);
  });

  it('does not stop the same partner, other tenants or the sandbox', async () => {
    const api = service.as();
    const { partnerId } = await aSubmitted(api, { company: 'Acme' });
    expect((await submit(api, await aDraft(api, { company: 'Acme', partnerId }))).status).toBe(200);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const other of [service.as(), sandbox])
      expect((await submit(other, await aDraft(other, { company: 'Acme' }))).status).toBe(200);
  });

  it('is one, however many partners submit the company at once', async () => {
    const api = service.as();
    const drafts = [
      await aDraft(api, { company: 'Acme' }),
      await aDraft(api, { company: 'Acme Inc', companyDomain: 'acme.example' }),
      await aDraft(api, { companyDomain: 'acme.example', company: 'ACME' }),
    ];
    const replies = await Promise.all(drafts.map((draft) => submit(api, draft)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('frees the company 30 days after the submission, and is not approved if another partner protects it then', async () => {
    const api = service.as();
    const first = await aSubmitted(api, { company: 'Acme' });
    const [second, third] = [await aDraft(api, { company: 'Acme' }), await aDraft(api, { company: 'Acme' })];
    const submittedBefore = (interval: string) =>
      service.sqlWithin(
        api.caller,
        `UPDATE deal_registration SET submitted_at = now() - interval '${interval}' WHERE id = ${first.id}`,
      );
    await submittedBefore('29 days 23 hours');
    expect(answerOf(await submit(api, second))).toEqual(refused);
    await submittedBefore('30 days 1 second');
    expect((await submit(api, second)).status).toBe(200);
    expect(answerOf(await submit(api, third))).toEqual(refused);
    expect(answerOf(await approve(api, first))).toEqual(refused);
    expect((await approve(api, second)).status).toBe(200);
  });

  it('frees the company when it is rejected or withdrawn', async () => {
    const api = service.as();
    const first = await aSubmitted(api, { company: 'Acme' });
    const [second, third] = [await aDraft(api, { company: 'Acme' }), await aDraft(api, { company: 'Acme' })];
    await api.rejectDealRegistration({ params: { id: first.id }, body: { reason: 'A customer already' } });
    expect((await submit(api, second)).status).toBe(200);
    expect(answerOf(await submit(api, third))).toEqual(refused);
    await api.withdrawDealRegistration({ params: { id: second.id }, body: {} });
    expect((await submit(api, third)).status).toBe(200);
  });
});

describe('an approved registration', () => {
  it('is protected for 90 days, or for those of the addon', async () => {
    const api = service.as();
    const daysOf = ({ protectedUntil }: { protectedUntil: string }) =>
      Math.round((Date.parse(protectedUntil) - Date.now()) / dayMs);
    const deal = await anApproved(api);
    expect(daysOf(deal)).toBe(90);
    expect(deal).toMatchObject({ status: 'approved', allowedTransitions: ['converted', 'withdrawn'] });
    await eventOf('deal_registration.approved', deal.id);
    peer.setAddons(api.caller.tenantId as number, { partner_program: { protectionDays: 7 } });
    await until('the setting has arrived', async () => daysOf(await anApproved(api)) === 7);
  });

  it('expires at that time, and frees the company', async () => {
    const api = service.as();
    const { id } = await anApproved(api, { company: 'Acme' });
    const other = await aDraft(api, { company: 'Acme' });
    expect(answerOf(await submit(api, other))).toEqual(refused);
    await makeExpiryDue(service, api);
    await until('it expires', async () => (await dealOf(api, id)).status === 'expired');
    await eventOf('deal_registration.expired', id);
    expect((await submit(api, other)).status).toBe(200);
    expect(answerOf(await api.convertDealRegistration({ params: { id }, body: {} }))).toEqual([
      409,
      'transition_refused',
    ]);
  });

  it('does not protect beyond its time, even before it is marked as expired', async () => {
    const api = service.as();
    const { id } = await anApproved(api, { company: 'Acme' });
    await service.sqlWithin(
      api.caller,
      `UPDATE deal_registration SET protected_until = now() - interval '1 s' WHERE id = ${id}`,
    );
    expect((await submit(api, await aDraft(api, { company: 'Acme' }))).status).toBe(200);
  });
});

it('changes its status only as the table says', async () => {
  const api = service.as();
  const { id } = await aDraft(api);
  const params = { id };
  const reject = () => api.rejectDealRegistration({ params, body: { reason: 'A customer already' } });
  const withdraw = () => api.withdrawDealRegistration({ params, body: { reason: 'Lost' } });
  const convert = () => api.convertDealRegistration({ params, body: {} });
  const fails = async (...calls: (() => Promise<{ status: number; body: { code?: string } }>)[]) => {
    for (const call of calls) expect(answerOf(await call())).toEqual([409, 'transition_refused']);
  };
  await fails(() => approve(api, { id }), reject, convert);
  expect((await submit(api, { id })).data).toMatchObject({ status: 'submitted', submittedAt: expect.any(String) });
  await fails(() => submit(api, { id }), convert);
  expect((await api.rejectDealRegistration({ params, body: {} })).status).toBe(422);
  expect((await reject()).data).toMatchObject({ status: 'rejected', reason: 'A customer already' });
  await fails(
    () => submit(api, { id }),
    () => approve(api, { id }),
    reject,
    withdraw,
    convert,
  );
  for (const name of ['submitted', 'rejected']) await eventOf(`deal_registration.${name}`, id);
  const approved = await anApproved(api);
  const withdrawn = await api.withdrawDealRegistration({ params: { id: approved.id }, body: { reason: 'Lost' } });
  expect(withdrawn.data).toMatchObject({ status: 'withdrawn', reason: 'Lost', protectedUntil: null });
  await eventOf('deal_registration.withdrawn', approved.id);
});

it('approve, reject and convert need partners:manage', async () => {
  const api = service.as();
  const { id } = await aSubmitted(api);
  const seller = service.as({
    tenantId: api.caller.tenantId as number,
    can: ['partners:read', 'partners:write'],
  });
  const params = { id };
  const replies = [
    await seller.approveDealRegistration({ params }),
    await seller.rejectDealRegistration({ params, body: { reason: 'No' } }),
    await seller.convertDealRegistration({ params, body: {} }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([403, 403, 403]);
});

it('a partner who is not approved any more cannot submit', async () => {
  const api = service.as();
  const { id: partnerId } = await anApprovedPartner(api);
  const draft = await aDraft(api, { partnerId });
  await service.sqlWithin(api.caller, `UPDATE partner SET status = 'suspended' WHERE id = ${partnerId}`);
  expect(answerOf(await submit(api, draft))).toEqual([409, 'partner_not_approved']);
});
