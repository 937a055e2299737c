import type { campaign } from '@tandem/campaign-contract';
import { type TestService, until } from '@tandem/testing';
import { aPage, startCampaign } from '../../campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

const whole = {
  description: 'For spring',
  sections: [{ sectionId: 's1', type: 'hero', label: 'Top', visible: true, order: 0 }],
  seo: { title: 'Spring', metaDescription: 'All about spring' },
  style: { primaryColor: '#1d4ed8', backgroundColor: 'white', fontFamily: "'Open Sans', serif" },
  content: '<h1 class="big">Spring</h1>',
};

describe('createLandingPage', () => {
  it('returns 201 with a draft that contains the sent fields', async () => {
    const api = service.as();
    const body = aPage(whole);
    const reply = await api.createLandingPage({ body });
    expect([reply.status, reply.body.message]).toEqual([201, 'Landing page created']);
    expect(reply.data).toMatchObject({ ...body, status: 'draft', campaignId: null, version: 1 });
    expect((await api.getLandingPage({ params: { id: reply.data.id } })).data).toEqual(reply.data);
  });

  it('requires only a name and a slug', async () => {
    const { data } = await service.as().createLandingPage({ body: aPage() });
    expect(data).toMatchObject({ description: null, sections: [], seo: {}, style: {}, content: '' });
  });

  it('accepts a slug once per tenant and environment', async () => {
    const api = service.as();
    const body = aPage();
    expect((await api.createLandingPage({ body })).status).toBe(201);
    const again = await api.createLandingPage({ body });
    expect([again.status, again.body.code, again.body.errors?.[0]?.field]).toEqual([409, 'slug_taken', 'slug']);
    expect((await service.as().createLandingPage({ body })).status).toBe(201);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect((await sandbox.createLandingPage({ body })).status).toBe(201);
  });

  it('accepts one of several concurrent requests with the same slug', async () => {
    const api = service.as();
    const body = aPage();
    const replies = await Promise.all(Array.from({ length: 10 }, () => api.createLandingPage({ body })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });

  it.each<[string, string]>([
    ['<p>a</p><script>alert(1)</script>', '<p>a</p>'],
    [
      '<img src="https://example.com/a.png" onerror="alert(1)" alt="A" />',
      '<img src="https://example.com/a.png" alt="A" />',
    ],
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="java\nscript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="&#106;avascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="data:text/html,x">x</a>', '<a>x</a>'],
    ['<a href="//example.com">x</a>', '<a>x</a>'],
    ['<svg onload="alert(1)"><circle></circle></svg>', ''],
    ['<iframe src="https://example.com"></iframe><style>*{}</style>', ''],
    ['<form action="https://example.com"><input name="card"></form>', ''],
    ['<div style="position:fixed">x</div>', '<div>x</div>'],
    ['<scr<script>ipt>alert(1)</scr</script>ipt>', 'ipt&gt;alert(1)ipt&gt;'],
    [
      '<a href="https://example.com" target="_blank">x</a>',
      '<a href="https://example.com" target="_blank" rel="noopener noreferrer">x</a>',
    ],
    [
      '<section id="s1" class="hero"><h1>A &amp; B</h1></section>',
      '<section id="s1" class="hero"><h1>A &amp; B</h1></section>',
    ],
  ])('removes active content from %s', async (content, expected) => {
    const { data } = await service.as().createLandingPage({ body: aPage({ content }) });
    expect(data.content).toBe(expected);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ slug: 'Not Kebab' }, 'slug'],
    [{ slug: 'a--b' }, 'slug'],
    [{ slug: '-a' }, 'slug'],
    [{ slug: undefined }, 'slug'],
    [{ name: '' }, 'name'],
    [{ content: 'x'.repeat(200_001) }, 'content'],
    [{ content: '<'.repeat(150_000) }, 'content'],
    [{ style: { primaryColor: 'red;} body{' } }, 'style.primaryColor'],
    [{ style: { fontFamily: 'a}b' } }, 'style.fontFamily'],
    [{ sections: [{ ...whole.sections[0], order: -1 }] }, 'sections.0.order'],
    [{ sections: [whole.sections[0], whole.sections[0]] }, 'sections.1.sectionId'],
    [{ campaignId: '999' }, 'campaignId'],
  ])('rejects %#', async (fields, field) => {
    const reply = await service.as().createLandingPage({ body: aPage(fields) });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });

  it('accepts content of many concurrent requests', async () => {
    const api = service.as();
    const create = () => api.createLandingPage({ body: aPage({ content: '<h1>Spring</h1>' }) });
    const replies = await Promise.all(Array.from({ length: 30 }, create));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
  });

  it('drops elements below 100 levels, and rejects content with more than 250', async () => {
    const nested = (levels: number) => `${'<b>'.repeat(levels)}x${'</b>'.repeat(levels)}`;
    const create = (content: string) => service.as().createLandingPage({ body: aPage({ content }) });
    expect((await create(nested(100))).data.content).toBe(nested(100));
    expect((await create(nested(250))).data.content).toBe(nested(100));
    const { status, body } = await create(nested(251));
    const errors = [{ field: 'content', message: 'Must have at most 250 nested levels' }];
    expect([status, body.errors]).toEqual([422, errors]);
  });

  it('accepts content of 200,000 characters', async () => {
    const content = 'ä"'.repeat(100_000);
    expect((await service.as().createLandingPage({ body: aPage({ content }) })).data.content).toBe(content);
  });
});

describe('updateLandingPage', () => {
  it('changes the sent fields, cleans content, and emits landing_page.updated', async () => {
    const api = service.as();
    const { data } = await api.createLandingPage({ body: aPage(whole) });
    const params = { id: data.id };
    const body = { name: 'Summer', content: '<p onclick="x()">Sun</p>', style: { primaryColor: '#fff' } };
    const reply = await api.updateLandingPage({ params, body });
    expect([reply.status, reply.headers.etag]).toEqual([200, expect.stringMatching(/^"2-/)]);
    expect(reply.data).toMatchObject({ ...body, content: '<p>Sun</p>', slug: data.slug, seo: whole.seo });
    expect((await api.getLandingPage({ params })).data).toEqual(reply.data);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'landing_page.updated' && one.tenantId === api.caller.tenantId),
    );
    expect(event).toMatchObject({ data: { landingPageId: data.id, fields: ['name', 'style', 'content'] } });
  });

  it('changes nothing without differences or with a stale If-Match', async () => {
    const api = service.as();
    const { data } = await api.createLandingPage({ body: aPage(whole) });
    const params = { id: data.id };
    expect((await api.updateLandingPage({ params, body: { name: data.name } })).data.version).toBe(1);
    const stale = await api.updateLandingPage({ params, body: { name: 'B' }, headers: { 'if-match': '"9"' } });
    expect(stale.status).toBe(412);
  });

  it('rejects the slug of another page, and returns 404 for a page of another tenant', async () => {
    const api = service.as();
    const other = (await api.createLandingPage({ body: aPage() })).data;
    const { id } = (await api.createLandingPage({ body: aPage() })).data;
    const taken = await api.updateLandingPage({ params: { id }, body: { slug: other.slug } });
    expect([taken.status, taken.body.code]).toEqual([409, 'slug_taken']);
    expect((await service.as().updateLandingPage({ params: { id }, body: { name: 'B' } })).status).toBe(404);
    expect((await service.as().getLandingPage({ params: { id } })).status).toBe(404);
  });
});

describe('listLandingPages', () => {
  it('returns pages without content, filtered by campaign and text', async () => {
    const api = service.as();
    const campaignId = (await api.createCampaign({ body: { name: 'Mine' } })).data.id;
    const { data } = await api.createLandingPage({ body: aPage({ ...whole, campaignId, slug: 'my-own' }) });
    await api.createLandingPage({ body: aPage() });
    expect((await api.listLandingPages({ query: { campaignId } })).data).toMatchObject([{ id: data.id }]);
    const found = (await api.listLandingPages({ query: { search: 'MY-OWN', status: 'draft' } })).data;
    expect([found.length, found[0].content]).toEqual([1, undefined]);
    expect((await api.listLandingPages()).body.pagination?.total).toBe(2);
  });
});

describe('findLandingPage', () => {
  it('returns name, slug, status and the address of a published page to other services, within the tenant', async () => {
    const api = service.as();
    const { data } = await api.createLandingPage({ body: aPage({ content: '<p>Until April</p>' }) });
    const params = { id: data.id };
    const inside = service.as({ type: 'system', tenantId: api.caller.tenantId as number });
    const { id, name, slug } = data;
    expect((await inside.findLandingPage({ params })).data).toEqual({ id, name, slug, status: 'draft' });
    expect((await api.publishLandingPage({ params })).status).toBe(200);
    const { url } = (await api.getLandingPage({ params })).data;
    expect((await inside.findLandingPage({ params })).data).toMatchObject({ status: 'published', url });
    expect((await service.as({ type: 'system' }).findLandingPage({ params })).status).toBe(404);
  });
});
