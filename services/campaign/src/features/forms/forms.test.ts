import type { campaign } from '@tandem/campaign-contract';
import { identityPeer, members, type TestService, until, users } from '@tandem/testing';
import { aForm, aPage, formFields, startCampaign } from '../../campaign.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCampaign(undefined, identity.url);
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;

const created = async (api: Api, fields: Record<string, unknown> = {}) =>
  (await api.createForm({ body: aForm(fields) })).data;
const eventOf = (api: Api, name: string) =>
  until(`${name} arrives`, () =>
    service.events.find((one) => one.name === name && one.tenantId === api.caller.tenantId),
  );

describe('createForm', () => {
  it('returns 201 with a draft that has the sent fields, with labels made from the keys, and emits form.created', async () => {
    const api = service.as();
    const body = aForm({
      consentText: 'I agree',
      doubleOptIn: true,
      redirectUrl: 'https://example.com/thanks',
      notifyUserIds: [members.seller],
    });
    const reply = await api.createForm({ body });
    expect([reply.status, reply.body.message]).toEqual([201, 'Form created']);
    const firstName = { key: 'firstName', label: 'First name', type: 'text', required: false, options: [] };
    expect(reply.data).toMatchObject({
      ...body,
      fields: [{}, { ...firstName, mapsTo: 'firstName' }, { label: 'Message', mapsTo: null }],
      status: 'draft',
      allowedTransitions: ['published', 'archived'],
      publishedAt: null,
      createdBy: '1',
      version: 1,
    });
    expect(reply.data.submitUrl).toMatch(/^https:\/\/api\.example\.com\/v1\/public\/forms\/\w{16,17}\/submissions$/);
    expect((await api.getForm({ params: { id: reply.data.id } })).data).toEqual(reply.data);
    expect(await eventOf(api, 'form.created')).toMatchObject({ data: { formId: reply.data.id } });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a name', { name: '' }, 'name'],
    ['a type', { fields: [{ key: 'a', type: 'color' }] }, 'fields.0.type'],
    ['a key', { fields: [{ key: '1a', type: 'text' }] }, 'fields.0.key'],
    ['unique keys', { fields: [formFields[2], formFields[2]] }, 'fields.1.key'],
    ['options', { fields: [{ key: 'a', type: 'select' }] }, 'fields.0.options'],
    ['no options of a text', { fields: [{ key: 'a', type: 'text', options: ['A'] }] }, 'fields.0.options'],
    ['distinct options', { fields: [{ key: 'a', type: 'select', options: ['A', 'A'] }] }, 'fields.0.options'],
    ['a field of the lead', { fields: [{ key: 'a', type: 'text', mapsTo: 'score' }] }, 'fields.0.mapsTo'],
    ['an e-mail field for the address', { fields: [{ key: 'a', type: 'text', mapsTo: 'email' }] }, 'fields.0.mapsTo'],
    [
      'one field for each field of the lead',
      { fields: [formFields[0], { key: 'b', type: 'email', mapsTo: 'email' }] },
      'fields.1.mapsTo',
    ],
    ['a known rule', { fields: [{ key: 'a', type: 'text', ask: 'never' }] }, 'fields.0.ask'],
    ['the e-mail address of everybody', { fields: [{ ...formFields[0], ask: 'when_unknown' }] }, 'fields.0.ask'],
    ['a question that depends on the visitor to limit them', { askAtMost: 1 }, 'askAtMost'],
    ['at least one question', { fields: [{ key: 'a', type: 'text', ask: 'when_unknown' }], askAtMost: 0 }, 'askAtMost'],
    ['https', { redirectUrl: 'http://example.com' }, 'redirectUrl'],
    ['no script', { redirectUrl: 'javascript:alert(1)' }, 'redirectUrl'],
    ['a known user', { notifyUserIds: [users.nobody] }, 'notifyUserIds.0'],
    ['an active user', { notifyUserIds: [members.seller, users.suspended] }, 'notifyUserIds.1'],
  ])('requires %s', async (_, fields, field) => {
    const api = service.as();
    const reply = await api.createForm({ body: aForm(fields) });
    expect(reply.body.errors?.map((error) => error.field)).toEqual([field]);
    expect([reply.status, (await api.listForms()).body.pagination?.total]).toEqual([422, 0]);
  });
});

describe('updateForm', () => {
  it('changes the sent fields, emits form.updated, and changes nothing without differences or with a stale If-Match', async () => {
    const api = service.as();
    const form = await created(api);
    const params = { id: form.id };
    const reply = await api.updateForm({ params, body: { name: 'Contact', redirectUrl: 'https://example.com' } });
    expect(reply.data).toMatchObject({ name: 'Contact', redirectUrl: 'https://example.com', version: 2 });
    expect(await eventOf(api, 'form.updated')).toMatchObject({ data: { fields: ['name', 'redirectUrl'] } });
    expect((await api.updateForm({ params, body: { name: 'Contact', fields: formFields } })).data.version).toBe(2);
    const stale = await api.updateForm({ params, body: { name: 'B' }, headers: { 'if-match': '"9"' } });
    expect(stale.status).toBe(412);
    expect((await service.as().updateForm({ params, body: { name: 'B' } })).status).toBe(404);
  });

  it('keeps a question that depends on the visitor as long as there is a limit of them', async () => {
    const api = service.as();
    const asked = [formFields[0], { ...formFields[1], ask: 'when_unknown' }];
    const { id, fields } = await created(api, { fields: asked, askAtMost: 1 });
    expect(fields.map(({ ask }: { ask: string }) => ask)).toEqual(['always', 'when_unknown']);
    const update = (body: Record<string, unknown>) => api.updateForm({ params: { id }, body });
    const refused = await update({ fields: formFields });
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'askAtMost']);
    expect((await update({ fields: formFields, askAtMost: null })).data).toMatchObject({ askAtMost: null, version: 2 });
    expect((await update({ askAtMost: 1 })).status).toBe(422);
  });

  it('keeps the e-mail field of a published form', async () => {
    const api = service.as();
    const { id } = await created(api);
    const params = { id };
    await api.publishForm({ params });
    const reply = await api.updateForm({ params, body: { fields: [formFields[1]] } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'fields']);
    expect((await api.getForm({ params })).data).toMatchObject({ version: 2, fields: [{}, {}, {}] });
  });
});

describe('the life of a form', () => {
  it('allows exactly the transitions that allowedTransitions names', async () => {
    const api = service.as();
    const { id } = await created(api);
    const params = { id };
    const state = async () => {
      const { data } = await api.getForm({ params });
      return [data.status, data.allowedTransitions];
    };
    const steps = [
      ['unpublishForm', 409, 'draft', ['published', 'archived']],
      ['publishForm', 200, 'published', ['draft', 'archived']],
      ['publishForm', 409, 'published', ['draft', 'archived']],
      ['unpublishForm', 200, 'draft', ['published', 'archived']],
      ['publishForm', 200, 'published', ['draft', 'archived']],
      ['archiveForm', 200, 'archived', []],
      ['publishForm', 409, 'archived', []],
      ['unpublishForm', 409, 'archived', []],
      ['archiveForm', 409, 'archived', []],
    ] as const;
    for (const [operation, status, ...after] of steps) {
      const reply = await api[operation]({ params });
      expect([operation, reply.status, ...(await state())]).toEqual([operation, status, ...after]);
      if (status === 409)
        expect([reply.body.code, reply.body.errors?.[0]?.field]).toEqual(['transition_refused', 'status']);
    }
    const edit = await api.updateForm({ params, body: { name: 'B' } });
    expect([edit.status, edit.body.code]).toEqual([409, 'form_archived']);
  });

  it('follows a status in an update by the same rules', async () => {
    const api = service.as();
    const { id } = await created(api, { fields: [{ key: 'a', type: 'text' }] });
    const update = (body: Record<string, unknown>) => api.updateForm({ params: { id }, body });
    expect((await update({ status: 'published' })).status).toBe(422);
    const { data } = await update({ status: 'published', fields: formFields });
    expect([data.status, data.publishedAt, data.version]).toEqual(['published', expect.any(String), 2]);
    expect((await update({ status: 'published' })).data.version).toBe(2);
    expect((await update({ status: 'archived' })).data.status).toBe('archived');
    expect((await update({ status: 'draft' })).body.code).toBe('form_archived');
  });

  it('needs an e-mail field that maps to the address of the lead to be published', async () => {
    const api = service.as();
    const { id } = await created(api, { fields: [{ key: 'email', type: 'email' }] });
    const reply = await api.publishForm({ params: { id } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'fields']);
    expect((await api.getForm({ params: { id } })).data.status).toBe('draft');
  });
});

it('returns the field of the address as required, however it was sent', async () => {
  const api = service.as();
  const fields = [{ key: 'mail', type: 'email', mapsTo: 'email', required: false }];
  const form = await created(api, { fields });
  expect(form.fields).toMatchObject([{ key: 'mail', required: true }]);
  const params = { id: form.id };
  const again = await api.updateForm({ params, body: { fields } });
  expect(again.data).toMatchObject({ fields: form.fields, version: form.version });
  // A form that was stored before.
  await service.sqlWithin(
    api.caller,
    `UPDATE form SET fields = jsonb_set(fields, '{0,required}', 'false') WHERE id = $1`,
    [form.id],
  );
  expect((await api.getForm({ params })).data.fields).toEqual(form.fields);
});

describe('deleteForm', () => {
  it('deletes a form that is neither published nor part of a page', async () => {
    const api = service.as();
    const { id } = await created(api);
    const params = { id };
    await api.publishForm({ params });
    expect((await api.deleteForm({ params })).body.code).toBe('form_published');
    await api.unpublishForm({ params });
    const page = (await api.createLandingPage({ body: aPage({ formId: id }) })).data;
    const used = await api.deleteForm({ params });
    expect([used.status, used.body.code]).toEqual([409, 'form_in_use']);
    expect(used.body.errors).toEqual([
      { field: 'id', message: `Is used by the landing page ‹landing_page ${page.id}›` },
    ]);
    await api.updateLandingPage({ params: { id: page.id }, body: { formId: null } });
    expect((await api.deleteForm({ params })).data).toEqual({ id, deleted: true });
    expect((await api.getForm({ params })).status).toBe(404);
    await eventOf(api, 'form.deleted');
  });
});

it('listForms filters by status and text', async () => {
  const api = service.as();
  const { id } = await created(api, { name: 'Contact us' });
  await created(api);
  await api.publishForm({ params: { id } });
  expect((await api.listForms({ query: { status: 'published' } })).data).toMatchObject([{ id }]);
  expect((await api.listForms({ query: { search: 'CONTACT' } })).data).toMatchObject([{ id }]);
  expect((await api.listForms()).body.pagination?.total).toBe(2);
});
