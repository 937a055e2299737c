import type { campaign } from '@tandem/campaign-contract';
import { type TestService, until } from '@tandem/testing';
import { aForm, aPage, asVisitor, startCampaign } from '../../campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;
type Fields = Record<string, unknown>;

const content = '<h1>Spring</h1><p>Until April</p>';
const aPageOf = async (api: Api, fields: Fields = {}) =>
  (await api.createLandingPage({ body: aPage({ content, ...fields }) })).data;
const pageOf = async (api: Api, id: string) => (await api.getLandingPage({ params: { id } })).data;
const shown = ({ url }: { url: string }) => {
  const [, tenant, slug] = /\/p\/([^/]+)\/(.+)$/.exec(url) as unknown as [string, string, string];
  return asVisitor(service, 'getPublicPage', { params: { tenant, slug } });
};
async function aPublishedForm(api: Api): Promise<string> {
  const { id } = (await api.createForm({ body: aForm() })).data;
  expect((await api.publishForm({ params: { id } })).status).toBe(200);
  return id;
}
const later = (ms: number) => new Date(Date.now() + ms).toISOString();
const hour = 3_600_000;

describe('the life of a page', () => {
  it('allows exactly the transitions that allowedTransitions names', async () => {
    const api = service.as();
    const { id } = await aPageOf(api);
    const params = { id };
    const steps = [
      ['unpublishLandingPage', 409, 'draft', ['published', 'archived']],
      ['publishLandingPage', 200, 'published', ['draft', 'archived']],
      ['publishLandingPage', 409, 'published', ['draft', 'archived']],
      ['unpublishLandingPage', 200, 'draft', ['published', 'archived']],
      ['archiveLandingPage', 200, 'archived', []],
      ['publishLandingPage', 409, 'archived', []],
      ['unpublishLandingPage', 409, 'archived', []],
      ['archiveLandingPage', 409, 'archived', []],
    ] as const;
    for (const [operation, status, ...after] of steps) {
      const reply = await api[operation]({ params });
      const page = await pageOf(api, id);
      expect([operation, reply.status, page.status, page.allowedTransitions]).toEqual([operation, status, ...after]);
      if (status === 409)
        expect([reply.body.code, reply.body.errors?.[0]?.field]).toEqual(['transition_refused', 'status']);
    }
    const edit = await api.updateLandingPage({ params, body: { name: 'B' } });
    expect([edit.status, edit.body.code]).toEqual([409, 'page_archived']);
    expect((await pageOf(api, id)).version).toBe(4);
  });

  it('follows a status in an update by the same rules, after its other changes', async () => {
    const api = service.as();
    const page = await aPageOf(api, { content: '' });
    const params = { id: page.id };
    const update = (body: Fields) => api.updateLandingPage({ params, body });
    const empty = await update({ status: 'published', name: 'B' });
    expect([empty.status, empty.body.errors?.[0]?.field]).toEqual([422, 'content']);
    expect(await pageOf(api, page.id)).toMatchObject({ name: page.name, version: 1 });
    const { data } = await update({ status: 'published', content, name: 'B' });
    expect(data).toMatchObject({ status: 'published', name: 'B', publishedVersion: 1, hasUnpublishedChanges: false });
    expect((await shown(page)).data).toMatchObject({ name: 'B', content });
    expect((await update({ status: 'published' })).data.version).toBe(data.version);
    expect((await update({ status: 'draft' })).data.status).toBe('draft');
    expect((await update({ status: 'archived' })).data.status).toBe('archived');
    expect((await update({ status: 'draft' })).body.code).toBe('page_archived');
  });

  it('emits landing_page.updated with the change of the status', async () => {
    const api = service.as();
    const { id } = await aPageOf(api);
    await api.publishLandingPage({ params: { id } });
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'landing_page.updated' && one.tenantId === api.caller.tenantId),
    );
    expect(event.data).toMatchObject({ landingPageId: id, fields: expect.arrayContaining(['status']) });
    expect(event.changes).toMatchObject({ status: { from: 'draft', to: 'published' } });
  });

  it('checks If-Match, and is closed to other tenants', async () => {
    const api = service.as();
    const { id } = await aPageOf(api);
    const params = { id };
    for (const operation of ['publishLandingPage', 'archiveLandingPage', 'deleteLandingPage'] as const) {
      expect((await api[operation]({ params, headers: { 'if-match': '"9"' } })).status).toBe(412);
      expect((await service.as()[operation]({ params })).status).toBe(404);
    }
    const narrowed = service.as({
      tenantId: api.caller.tenantId as number,
      userId: 77,
      can: ['campaigns:write:own', 'campaigns:delete:own', 'campaigns:read:own'],
    });
    expect((await narrowed.publishLandingPage({ params })).status).toBe(404);
    expect((await narrowed.listLandingPageVersions({ params })).status).toBe(404);
    expect((await narrowed.deleteLandingPage({ params })).status).toBe(404);
    expect((await pageOf(api, id)).version).toBe(1);
  });
});

describe('publishLandingPage', () => {
  it.each([
    ['nothing', { content: '' }],
    ['only empty elements', { content: '<section><p> &nbsp; </p><br /></section>' }],
    [
      'only hidden sections',
      {
        content: '<section id="s1">Text</section>',
        sections: [{ sectionId: 's1', type: 'hero', label: 'Top', visible: false, order: 0 }],
      },
    ],
  ])('rejects a page with %s', async (_, fields) => {
    const api = service.as();
    const { id } = await aPageOf(api, fields);
    const reply = await api.publishLandingPage({ params: { id } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'content']);
    expect(await pageOf(api, id)).toMatchObject({ status: 'draft', version: 1 });
  });

  it.each([
    ['an image', async () => ({ content: '<img src="https://example.com/a.png" />' })],
    ['a published form', async (api: Api) => ({ content: '', formId: await aPublishedForm(api) })],
  ])('accepts a page with only %s', async (_, fieldsOf) => {
    const api = service.as();
    const { id } = await aPageOf(api, await fieldsOf(api));
    expect((await api.publishLandingPage({ params: { id } })).status).toBe(200);
  });

  it('rejects a page whose only content is a form that visitors do not see', async () => {
    const api = service.as();
    const formId = await aPublishedForm(api);
    await api.unpublishForm({ params: { id: formId } });
    const { id } = await aPageOf(api, { content: '', formId });
    const error = { field: 'formId', message: 'Publish the form first, because the page has nothing else' };
    for (const refused of [
      await api.publishLandingPage({ params: { id } }),
      await api.updateLandingPage({ params: { id }, body: { status: 'published' } }),
    ])
      expect([refused.status, refused.body.errors]).toEqual([422, [error]]);
    await api.updateLandingPage({ params: { id }, body: { publishAt: later(200) } });
    await until('the plan is removed', async () => (await pageOf(api, id)).publishAt === null);
    expect((await pageOf(api, id)).status).toBe('draft');
    await api.publishForm({ params: { id: formId } });
    expect((await api.publishLandingPage({ params: { id } })).status).toBe(200);
  });

  it('stores a version that visitors see until the page is published again', async () => {
    const api = service.as();
    const page = await aPageOf(api);
    const params = { id: page.id };
    expect((await shown(page)).status).toBe(404);
    const published = (await api.publishLandingPage({ params })).data;
    expect(published).toMatchObject({ publishedVersion: 1, hasUnpublishedChanges: false });
    const edited = await api.updateLandingPage({ params, body: { content: '<h1>Summer</h1>', name: 'Summer' } });
    expect(edited.data).toMatchObject({ status: 'published', hasUnpublishedChanges: true });
    const before = await shown(page);
    expect([before.data.name, before.data.content]).toEqual(['Spring', content]);
    expect((await api.publishLandingPage({ params })).data).toMatchObject({
      publishedVersion: 2,
      hasUnpublishedChanges: false,
    });
    expect((await shown(page)).data).toMatchObject({ name: 'Summer', content: '<h1>Summer</h1>' });
    const versions = await api.listLandingPageVersions({ params });
    expect(versions.data).toMatchObject([
      { number: 2, name: 'Summer', publishedBy: '1' },
      { number: 1, name: 'Spring', publishedBy: '1' },
    ]);
    expect(versions.data[0].content).toBeUndefined();
    const first = await api.getLandingPageVersion({ params: { ...params, number: '1' } });
    expect(first.data).toMatchObject({ number: 1, content, sections: [] });
    expect((await api.getLandingPageVersion({ params: { ...params, number: '3' } })).status).toBe(404);
    await api.unpublishLandingPage({ params });
    expect((await shown(page)).status).toBe(404);
  });

  it('does not count changes that visitors do not see as unpublished', async () => {
    const api = service.as();
    const { id } = await aPageOf(api);
    await api.publishLandingPage({ params: { id } });
    const { data } = await api.updateLandingPage({ params: { id }, body: { description: 'Internal' } });
    expect(data).toMatchObject({ version: 3, hasUnpublishedChanges: false });
  });

  it('publishes once when it is requested several times at once', async () => {
    const api = service.as();
    const { id } = await aPageOf(api);
    const replies = await Promise.all(Array.from({ length: 6 }, () => api.publishLandingPage({ params: { id } })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(409)]);
    expect((await api.listLandingPageVersions({ params: { id } })).body.pagination?.total).toBe(1);
  });
});

describe('publishAt', () => {
  it('publishes the page at that time', async () => {
    const api = service.as();
    const page = await aPageOf(api, { publishAt: later(300) });
    expect([page.status, (await shown(page)).status]).toEqual(['draft', 404]);
    const published = await until('the page is published', async () => {
      const one = await pageOf(api, page.id);
      return one.status === 'published' && one;
    });
    expect(published).toMatchObject({ publishAt: null, publishedVersion: 1 });
    expect((await api.listLandingPageVersions({ params: { id: page.id } })).data).toMatchObject([
      { publishedBy: null },
    ]);
    expect((await shown(page)).status).toBe(200);
  });

  it('publishes the changes of a published page', async () => {
    const api = service.as();
    const page = await aPageOf(api);
    const params = { id: page.id };
    await api.publishLandingPage({ params });
    await api.updateLandingPage({ params, body: { content: '<p>Sale</p>', publishAt: later(300) } });
    expect((await shown(page)).data.content).toBe(content);
    await until('version 2 is published', async () => (await pageOf(api, page.id)).publishedVersion === 2);
    expect((await shown(page)).data.content).toContain('<p>Sale</p>');
  });

  it('has no effect any more once it is changed, removed, or the page archived', async () => {
    const api = service.as();
    const soon = later(400);
    const [moved, removed, archived, done] = await Promise.all(
      Array.from({ length: 4 }, () => aPageOf(api, { publishAt: soon })),
    );
    await api.updateLandingPage({ params: { id: moved.id }, body: { publishAt: later(hour) } });
    await api.updateLandingPage({ params: { id: removed.id }, body: { publishAt: null } });
    await api.archiveLandingPage({ params: { id: archived.id } });
    await until('the job of the last page ran', async () => (await pageOf(api, done.id)).status === 'published');
    const statuses = await Promise.all([moved, removed, archived].map(({ id }) => pageOf(api, id)));
    expect(statuses.map(({ status }) => status)).toEqual(['draft', 'draft', 'archived']);
  });

  it.each<[string, Fields, string]>([
    ['in the past', { publishAt: '2020-01-01T00:00:00Z' }, 'publishAt'],
    ['of an empty page', { publishAt: later(hour), content: '<p></p>' }, 'publishAt'],
  ])('%s is rejected', async (_, fields, field) => {
    const api = service.as();
    const reply = await api.createLandingPage({ body: aPage({ content, ...fields }) });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
    const { id } = await aPageOf(api);
    expect((await api.updateLandingPage({ params: { id }, body: fields })).status).toBe(422);
    const planned = await aPageOf(api, { publishAt: later(hour) });
    expect((await api.updateLandingPage({ params: { id: planned.id }, body: { content: '' } })).status).toBe(422);
  });
});

describe('duplicateLandingPage', () => {
  it('creates a draft with the content, a free slug, and without plan and versions', async () => {
    const api = service.as();
    const { data: form } = await api.createForm({ body: aForm() });
    const page = await aPageOf(api, {
      seo: { title: 'T' },
      style: { primaryColor: '#fff' },
      formId: form.id,
      publishAt: later(hour),
    });
    const params = { id: page.id };
    await api.publishLandingPage({ params });
    const { status, data: copy } = await api.duplicateLandingPage({ params, body: {} });
    expect([status, copy.name, copy.slug]).toEqual([201, 'Spring (copy)', `${page.slug}-copy`]);
    const { content: text, seo, style, formId } = page;
    const fresh = { status: 'draft', publishedVersion: null, publishAt: null, version: 1 };
    expect(copy).toMatchObject({ content: text, seo, style, formId, ...fresh });
    expect((await api.duplicateLandingPage({ params, body: {} })).data.slug).toBe(`${page.slug}-copy-2`);
    const named = await api.duplicateLandingPage({ params, body: { name: 'Summer', slug: 'summer-page' } });
    expect([named.data.name, named.data.slug]).toEqual(['Summer', 'summer-page']);
    const taken = await api.duplicateLandingPage({ params, body: { slug: page.slug } });
    expect([taken.status, taken.body.code]).toEqual([409, 'slug_taken']);
    expect((await service.as().duplicateLandingPage({ params, body: {} })).status).toBe(404);
  });
});

describe('deleteLandingPage', () => {
  it('deletes the page with its versions and its address, and emits landing_page.deleted', async () => {
    const api = service.as();
    const page = await aPageOf(api);
    const params = { id: page.id };
    await api.publishLandingPage({ params });
    expect((await api.deleteLandingPage({ params })).data).toEqual({ id: page.id, deleted: true });
    expect([(await api.getLandingPage({ params })).status, (await shown(page)).status]).toEqual([404, 404]);
    expect(await service.sqlWithin(api.caller, 'SELECT 1 FROM landing_page_version')).toEqual([]);
    await until('the event arrives', () =>
      service.events.find((one) => one.name === 'landing_page.deleted' && one.tenantId === api.caller.tenantId),
    );
  });
});

it('rejects a form that is not the tenant’s', async () => {
  const { data: theirs } = await service.as().createForm({ body: aForm() });
  const reply = await service.as().createLandingPage({ body: aPage({ formId: theirs.id }) });
  expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'formId']);
});
