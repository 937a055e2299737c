import { type campaign, submissionLimits } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { identityPeer, members, type TestService, until } from '@tandem/testing';
import { aForm, aPage, asVisitor, formFields, publicIdOf, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let crm: CrmPeer;
let mailbox: Mailbox;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  [identity, crm, mailbox] = await Promise.all([identityPeer(), crmPeer(), startMailbox()]);
  identity.settings['name'] = 'Engines Ltd';
  service = await startCampaign(undefined, identity.url, { CRM_URL: crm.url, SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([mailbox?.close(), crm?.close(), identity?.close()]);
});

type Api = ReturnType<typeof service.as>;
type Fields = Record<string, unknown>;

let visitors = 0;
const anEmail = () => `visitor${++visitors}@example.com`;

async function publishedForm(api: Api, fields: Fields = {}) {
  const { data } = await api.createForm({ body: aForm(fields) });
  await api.publishForm({ params: { id: data.id } });
  return { ...data, publicId: publicIdOf(data) };
}
const submit = (publicId: string, fields: Fields, others: Fields = {}, ip?: string) =>
  asVisitor(service, 'submitForm', { params: { id: publicId }, body: { fields, ...others } }, ip);
const submissionsOf = async (api: Api, id: string, query = {}) =>
  (await api.listFormSubmissions({ params: { id }, query })).data;
const statusesOf = async (api: Api, id: string) => (await submissionsOf(api, id)).map((one: Fields) => one['status']);
const eventsOf = (api: Api) =>
  service.events.filter((one) => one.name === 'form.submitted' && one.tenantId === api.caller.tenantId);
const upsertsOf = (email: string) => crm.calls.filter(({ body }) => body['email'] === email).map(({ body }) => body);
const processed = (api: Api, id: string) =>
  until('the submission is processed', async () => {
    const all = await submissionsOf(api, id);
    return all.length && all.every((one: Fields) => one['status'] === 'processed') && all;
  });

describe('submitForm', () => {
  it('stores the submission, makes a lead of it in crm, and emits form.submitted with the lead', async () => {
    const api = service.as();
    const form = await publishedForm(api, {
      name: 'Contact',
      consentText: 'I agree',
      redirectUrl: 'https://example.com/thanks',
      notifyUserIds: [members.seller],
      fields: [...formFields, { key: 'size', type: 'number', mapsTo: 'customFields.seats' }],
    });
    const email = anEmail();
    const fields = { email, firstName: 'Ada', message: 'Hello', size: '12' };
    const reply = await submit(
      form.publicId,
      { ...fields, unknown: 'x' },
      { consent: true, utm: { source: 'ad' }, referralCode: 'ADA-2026', captchaToken: 'x' },
    );
    expect([reply.status, reply.data]).toEqual([
      201,
      { confirmationRequired: false, redirectUrl: 'https://example.com/thanks' },
    ]);
    const [stored] = await processed(api, form.id);
    expect(stored).toMatchObject({
      formId: form.id,
      fields: { ...fields, size: 12 },
      utm: { source: 'ad' },
      consent: true,
      consentText: 'I agree',
      referralCode: 'ADA-2026',
      reason: null,
    });
    expect(Object.keys(stored.fields)).not.toContain('unknown');
    expect(upsertsOf(email)).toEqual([
      {
        email,
        firstName: 'Ada',
        customFields: { seats: 12 },
        referralCode: 'ADA-2026',
        consent: { source: 'Contact', isConfirmed: false, at: expect.any(String) },
      },
    ]);
    const event = await until('the event arrives', () => eventsOf(api)[0]);
    expect(event).toMatchObject({
      data: {
        formId: form.id,
        leadId: stored.leadId,
        submissionId: stored.id,
        fields: { email },
        referralCode: 'ADA-2026',
        isConfirmed: false,
      },
      // The lead exists without the code.
      record: { id: form.id, name: 'Contact', notifyUserIds: [members.seller], lead: { isNew: false } },
    });
    const byLead = await submissionsOf(api, form.id, { leadId: stored.leadId, status: 'processed' });
    expect(byLead).toMatchObject([{ id: stored.id }]);
  });

  it('loses nothing while crm is down, and makes one lead and one event', async () => {
    const api = service.as();
    const form = await publishedForm(api);
    const email = anEmail();
    crm.isDown = true;
    try {
      expect((await submit(form.publicId, { email })).status).toBe(201);
      expect(await statusesOf(api, form.id)).toEqual(['accepted']);
    } finally {
      crm.isDown = false;
    }
    await processed(api, form.id);
    await until('the event arrives', () => eventsOf(api).length === 1);
    expect(upsertsOf(email)).toHaveLength(1);
  });

  it('works in the sandbox under the same kind of address', async () => {
    const api = service.as({ environment: 'sandbox' });
    const form = await publishedForm(api);
    expect((await submit(form.publicId, { email: anEmail() })).status).toBe(201);
    await processed(api, form.id);
  });

  it('returns 404 unless the form is published', async () => {
    const api = service.as();
    const { data } = await api.createForm({ body: aForm() });
    const params = { id: data.id };
    const status = async () => (await submit(publicIdOf(data), { email: anEmail() })).status;
    expect(await status()).toBe(404);
    await api.publishForm({ params });
    expect(await status()).toBe(201);
    await api.unpublishForm({ params });
    expect(await status()).toBe(404);
    await api.archiveForm({ params });
    expect(await status()).toBe(404);
    for (const unknown of ['1', data.id, 'x'.repeat(16), 'form_'])
      expect((await submit(unknown, { email: anEmail() })).status).toBe(404);
  });

  it('names each invalid field, and stores nothing then', async () => {
    const api = service.as();
    const form = await publishedForm(api, {
      fields: [
        { ...formFields[0], required: false },
        { key: 'phone', type: 'phone' },
        { key: 'size', type: 'number' },
        { key: 'plan', type: 'select', options: ['Small', 'Large'] },
        { key: 'terms', type: 'checkbox', required: true },
        { key: 'day', type: 'date' },
        { key: 'text', type: 'text', required: true },
        { key: 'note', type: 'textarea' },
      ],
    });
    const fields = { phone: '1', size: 'many', plan: 'Huge', terms: false, day: '31.1.', text: ' ', note: 5 };
    const reply = await submit(form.publicId, fields);
    const places = ['email', ...Object.keys(fields)].map((key) => `fields.${key}`);
    expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([422, places]);
    const long = await submit(form.publicId, { email: anEmail(), terms: true, text: 'x'.repeat(501) });
    expect(long.body.errors?.map(({ field }) => field)).toEqual(['fields.text']);
    expect(await submissionsOf(api, form.id)).toEqual([]);
    const valid = { phone: '+49 170 1234567', size: 3.5, plan: 'Large', terms: true, day: '2026-01-31', text: ' a ' };
    expect((await submit(form.publicId, { email: anEmail(), ...valid })).status).toBe(201);
    const [stored] = await submissionsOf(api, form.id);
    expect(stored.fields).toMatchObject({ ...valid, phone: '+491701234567', text: 'a' });
  });

  it.each<[string, Fields, Fields]>([
    ['honeypot', {}, { honeypot: 'https://spam.example' }],
    ['too_many_links', { message: 'http://a.example '.repeat(submissionLimits.links + 1) }, {}],
  ])('answers spam like everything else and keeps it apart: %s', async (reason, fields, others) => {
    const api = service.as();
    const form = await publishedForm(api, { redirectUrl: 'https://example.com/thanks' });
    const email = anEmail();
    const reply = await submit(form.publicId, { email, ...fields }, others);
    const person = await submit(form.publicId, { email: anEmail() });
    expect([reply.status, reply.data, reply.body.message]).toEqual([201, person.data, person.body.message]);
    await until('the event of the person arrives', () => eventsOf(api).length === 1);
    expect(await submissionsOf(api, form.id, { status: 'quarantined' })).toMatchObject([{ reason, leadId: null }]);
    expect(upsertsOf(email)).toEqual([]);
  });

  it('takes what is sent within two seconds of the page for spam, and other tokens for nothing', async () => {
    const api = service.as();
    const form = await publishedForm(api);
    const { data: page } = await api.createLandingPage({ body: aPage({ formId: form.id }) });
    await api.publishLandingPage({ params: { id: page.id } });
    const [, tenant, slug] = /\/p\/([^/]+)\/(.+)$/.exec(page.url) as unknown as [string, string, string];
    const { data } = await asVisitor(service, 'getPublicPage', { params: { tenant, slug } });
    await submit(form.publicId, { email: anEmail() }, { renderToken: data.form.renderToken });
    expect(await submissionsOf(api, form.id)).toMatchObject([{ status: 'quarantined', reason: 'too_fast' }]);
    await submit(form.publicId, { email: anEmail() }, { renderToken: 'forged' });
    const other = await publishedForm(api);
    await submit(other.publicId, { email: anEmail() }, { renderToken: data.form.renderToken });
    expect(await submissionsOf(api, form.id, { status: 'quarantined' })).toHaveLength(1);
    expect(await submissionsOf(api, other.id, { status: 'quarantined' })).toEqual([]);
  });

  it('takes more than 30 submissions of an address within an hour for spam', async () => {
    const api = service.as();
    const form = await publishedForm(api);
    for (let sent = 0; sent < submissionLimits.perHour; sent++)
      expect((await submit(form.publicId, { email: anEmail() }, {}, '198.51.100.9')).status).toBe(201);
    await submit(form.publicId, { email: anEmail() }, {}, '198.51.100.9');
    await submit(form.publicId, { email: anEmail() }, {}, '198.51.100.10');
    expect(await submissionsOf(api, form.id, { status: 'quarantined' })).toMatchObject([{ reason: 'too_many' }]);
  });

  it('takes no more of the submissions of an address that arrive at once', async () => {
    const api = service.as();
    const form = await publishedForm(api);
    const send = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () => submit(form.publicId, { email: anEmail() }, {}, '198.51.100.11')),
      );
    await send(submissionLimits.perHour - 5);
    await send(20);
    const spam = await submissionsOf(api, form.id, { status: 'quarantined', limit: '100' });
    expect(spam.map(({ reason }: Fields) => reason)).toEqual(Array(15).fill('too_many'));
  });

  it('deletes spam after 30 days, and nothing else', async () => {
    const api = service.as();
    const form = await publishedForm(api);
    await submit(form.publicId, { email: anEmail() }, { honeypot: 'x' });
    await submit(form.publicId, { email: anEmail() }, { honeypot: 'x' });
    await submit(form.publicId, { email: anEmail() });
    await until('the person is processed', async () => (await statusesOf(api, form.id)).includes('processed'));
    const [, older] = await submissionsOf(api, form.id, { status: 'quarantined' });
    const age = "interval '31 days'";
    await service.sqlWithin(api.caller, `UPDATE form_submission SET created_at = created_at - ${age}`);
    await service.sqlWithin(
      api.caller,
      `UPDATE form_submission SET discardable_since = discardable_since - ${age} WHERE id = $1`,
      [older.id],
    );
    expect(await service.housekeep()).toEqual([]);
    expect((await statusesOf(api, form.id)).sort()).toEqual(['processed', 'quarantined']);
  });
});

describe('acceptFormSubmission', () => {
  it('makes a lead of a submission that was taken for spam by mistake, once', async () => {
    const api = service.as();
    const form = await publishedForm(api);
    const email = anEmail();
    await submit(form.publicId, { email }, { honeypot: 'x' });
    const [spam] = await submissionsOf(api, form.id);
    expect(spam).toMatchObject({ status: 'quarantined', allowedTransitions: ['accepted'] });
    const params = { id: form.id, submissionId: spam.id };
    const reply = await api.acceptFormSubmission({ params });
    expect(reply.data).toMatchObject({ status: 'accepted', reason: null, allowedTransitions: [] });
    await processed(api, form.id);
    const again = await api.acceptFormSubmission({ params });
    expect([again.status, again.body.code]).toEqual([409, 'transition_refused']);
    expect(upsertsOf(email)).toHaveLength(1);
    const other = await publishedForm(api);
    expect((await api.acceptFormSubmission({ params: { ...params, id: other.id } })).status).toBe(404);
    expect((await service.as().acceptFormSubmission({ params })).status).toBe(404);
  });
});

describe('a form with confirmation', () => {
  const linkOf = (text: string) => /forms\/confirm\/(\S+)/.exec(text)?.[1] as string;
  const mailTo = (email: string) => until(`a mail to ${email}`, () => mailbox.to(email)[0]);

  it('creates the lead only after the person has pressed the button of the page', async () => {
    const api = service.as();
    const form = await publishedForm(api, { doubleOptIn: true, consentText: 'I agree', name: 'News & more' });
    const email = anEmail();
    const reply = await submit(form.publicId, { email, message: 'Call evil now' }, { consent: true });
    expect([reply.status, reply.data.confirmationRequired]).toEqual([201, true]);
    expect(reply.body.message).toMatch(/confirm/);
    expect(await statusesOf(api, form.id)).toEqual(['pending']);
    const mail = await mailTo(email);
    expect(mail.subject).toBe('Please confirm your e-mail address: News & more');
    expect(JSON.stringify(mail)).not.toMatch(/evil/);
    expect(mail.text).toContain('the form “News & more” of Engines Ltd');
    const token = linkOf(mail.text);
    const page = await asVisitor(service, 'showFormConfirmation', { params: { token } });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('of Engines Ltd with the address');
    expect(page.text).toContain(`data-action="/v1/public/form-confirmations/${token}"`);
    expect(await statusesOf(api, form.id)).toEqual(['pending']);
    for (let time = 0; time < 2; time++)
      expect((await asVisitor(service, 'confirmFormSubmission', { params: { token } })).status).toBe(200);
    const [stored] = await processed(api, form.id);
    expect(stored.confirmedAt).not.toBeNull();
    await until('the event arrives', () => eventsOf(api).length === 1);
    expect(upsertsOf(email)).toMatchObject([{ consent: { source: 'News & more', isConfirmed: true } }]);
    expect((await asVisitor(service, 'showFormConfirmation', { params: { token } })).text).toContain('already');
  });

  it('sends at most three mails a day to an address', async () => {
    const api = service.as();
    const form = await publishedForm(api, { doubleOptIn: true });
    const email = anEmail();
    const replies = [];
    for (let sent = 0; sent <= submissionLimits.confirmationsPerDay; sent++)
      replies.push(await submit(form.publicId, { email: sent % 2 ? email : email.toUpperCase() }));
    expect(new Set(replies.map(({ status, data }) => `${status} ${JSON.stringify(data)}`)).size).toBe(1);
    expect((await statusesOf(api, form.id)).sort()).toEqual(['pending', 'pending', 'pending', 'quarantined']);
  });

  it('counts addresses that differ by a tag as one mailbox', async () => {
    const api = service.as();
    const form = await publishedForm(api, { doubleOptIn: true });
    const [name] = anEmail().split('@');
    for (let sent = 0; sent <= submissionLimits.confirmationsPerDay; sent++)
      expect((await submit(form.publicId, { email: `${name}+${sent}@example.com` })).status).toBe(201);
    await submit(form.publicId, { email: `${name}2@example.com` });
    expect((await statusesOf(api, form.id)).sort()).toEqual([...Array(4).fill('pending'), 'quarantined']);
  });

  it('sends none in the sandbox', async () => {
    const api = service.as({ environment: 'sandbox' });
    const form = await publishedForm(api, { doubleOptIn: true });
    expect((await submit(form.publicId, { email: anEmail() })).status).toBe(201);
    const [row] = await service.sqlWithin(
      api.caller,
      "SELECT state FROM platform.mail WHERE template = 'form_confirmation'",
    );
    expect(row).toEqual({ state: 'suppressed' });
  });

  it('rejects links that were changed or have expired', async () => {
    const api = service.as();
    const form = await publishedForm(api, { doubleOptIn: true });
    const email = anEmail();
    await submit(form.publicId, { email });
    const token = linkOf((await mailTo(email)).text);
    const confirm = (params: { token: string }) => asVisitor(service, 'confirmFormSubmission', { params });
    expect((await confirm({ token: `${token.slice(0, -2)}AA` })).status).toBe(404);
    const now = Date.now();
    const days = submissionLimits.confirmDays * 86_400_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + days - 60_000);
    try {
      expect((await asVisitor(service, 'showFormConfirmation', { params: { token } })).status).toBe(200);
      clock.mockReturnValue(now + days + 60_000);
      expect((await confirm({ token })).body.code).toBe('link_expired');
    } finally {
      clock.mockRestore();
    }
    expect(await statusesOf(api, form.id)).toEqual(['pending']);
  });
});
