import { until } from '@tandem/testing';
import {
  aPeer,
  existing,
  landingPageUrl,
  missingId,
  type Peer,
  publicUrl,
  type Service,
  startPartner,
} from '../../partner.test-service.ts';

let service: Service;
let peer: Peer;
beforeAll(async () => {
  peer = await aPeer();
  service = await startPartner(peer);
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

const fileUrl = 'https://cdn.example.com/banner.final.PNG?size=2';
const ofFile = { name: 'Banner', category: 'images', sourceType: 'file', fileUrl };
const categories = [
  'social-posts',
  'images',
  'videos',
  'print',
  'email-templates',
  'landing-pages',
  'campaign-kits',
  'other',
];

async function stored(fields: object = {}, api = service.as()) {
  const { status, data } = await api.createCoMarketingResource({ body: { ...ofFile, ...fields } });
  expect(status).toBe(201);
  return { api, resource: data, params: { id: data.id as string } };
}

describe('createCoMarketingResource', () => {
  it('accepts a URL, or a file with its type and formatted size', async () => {
    const { resource } = await stored();
    expect(resource).toMatchObject({
      name: 'Banner',
      category: 'images',
      sourceType: 'file',
      fileUrl,
      fileId: null,
      fileType: 'png',
      fileSize: null,
      description: null,
      thumbnailUrl: null,
      shareEnabled: false,
      shareToken: null,
      shareCaption: null,
      downloads: 0,
      shares: 0,
      status: 'active',
      allowedTransitions: ['archived'],
      version: 1,
    });
    const { resource: file } = await stored({ fileUrl: undefined, fileId: existing.file });
    expect(file).toMatchObject({ fileUrl: null, fileId: existing.file, fileType: 'pdf', fileSize: '1.4 MB' });
  });

  it('rejects files, landing pages and campaigns that the caller cannot read', async () => {
    const { api, params } = await stored();
    const answers = async (body: object, ...can: string[]) => {
      const tenantId = api.caller.tenantId as number;
      const caller = service.as({ tenantId, userId: 8, can: ['co_marketing:write', ...can] });
      const created = await caller.createCoMarketingResource({ body: { name: 'A', category: 'other', ...body } });
      return [created.status, created.body.errors?.[0]?.field];
    };
    const file = { sourceType: 'file', fileId: existing.file };
    expect(await answers(file)).toEqual([403, 'fileId']);
    expect(await answers(file, 'files:read:own')).toEqual([422, 'fileId']);
    expect((await answers(file, 'files:read'))[0]).toBe(201);
    const page = { sourceType: 'landing-page', landingPageId: existing.landingPage };
    expect(await answers(page)).toEqual([403, 'landingPageId']);
    expect(await answers(page, 'campaigns:read:team')).toEqual([422, 'landingPageId']);
    expect(await answers({ sourceType: 'campaign', campaignId: existing.campaign })).toEqual([403, 'campaignId']);

    const editor = service.as({ tenantId: api.caller.tenantId as number, userId: 8, can: ['co_marketing:write'] });
    const update = async (body: object) => (await editor.updateCoMarketingResource({ params, body })).status;
    expect([await update({ fileId: existing.file }), await update({ description: 'Wide' })]).toEqual([403, 200]);
    await api.updateCoMarketingResource({ params, body: { fileId: existing.file, fileUrl: null } });
    expect(await update({ fileUrl: 'https://cdn.example.com/other.png' })).toBe(200);
  });

  it('accepts a landing page or a campaign, and ignores the fields of other source types', async () => {
    const fields = { landingPageId: existing.landingPage, campaignId: existing.campaign };
    const page = (await stored({ ...fields, sourceType: 'landing-page' })).resource;
    expect([page.landingPageId, page.campaignId, page.fileUrl]).toEqual([existing.landingPage, null, null]);
    const campaign = (await stored({ ...fields, sourceType: 'campaign' })).resource;
    expect([campaign.landingPageId, campaign.campaignId]).toEqual([null, existing.campaign]);
  });

  it.each([
    ['file', {}, 'fileId'],
    ['file', { fileId: missingId }, 'fileId'],
    ['file', { fileId: existing.quarantined }, 'fileId'],
    ['file', { fileUrl: 'http://example.com/a.pdf' }, 'fileUrl'],
    ['file', { fileUrl: 'javascript:alert(1)' }, 'fileUrl'],
    ['file', { fileUrl: 'https:example.com/a.pdf' }, 'fileUrl'],
    ['file', { fileUrl: 'https://example.com/\0' }, 'fileUrl'],
    ['file', { fileUrl: 'https://example.com/\ud800' }, 'fileUrl'],
    ['landing-page', {}, 'landingPageId'],
    ['landing-page', { landingPageId: missingId }, 'landingPageId'],
    ['campaign', {}, 'campaignId'],
    ['campaign', { campaignId: missingId }, 'campaignId'],
    ['photo', {}, 'sourceType'],
  ])('rejects the source %s of %j with an error on %s', async (sourceType, source, field) => {
    const api = service.as();
    const body = { name: 'A', category: 'other', sourceType, ...source };
    const reply = await api.createCoMarketingResource({ body });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
    expect((await api.listCoMarketingResources()).body.pagination?.total).toBe(0);
  });

  it('rejects a URL that is too long for a redirect header', async () => {
    const api = service.as();
    const create = (path: string) =>
      api.createCoMarketingResource({ body: { ...ofFile, fileUrl: `https://cdn.example.com/${path}` } });
    expect((await create('漢'.repeat(200))).status).toBe(201);
    for (const path of ['漢'.repeat(300), 'a'.repeat(2_000)]) {
      const { status, body } = await create(path);
      expect([status, body.errors]).toEqual([
        422,
        [{ field: 'fileUrl', message: expect.stringContaining('Must be at most 2000 characters') }],
      ]);
    }
  });

  it('emits an event without the share token', async () => {
    const { resource } = await stored({ shareEnabled: true });
    const event = await until('the event arrives', () =>
      service.events.find(({ name, target }) => name === 'co_marketing.created' && target.id === Number(resource.id)),
    );
    expect(event.data).toEqual({ coMarketingResourceId: resource.id });
    expect(JSON.stringify(event)).not.toContain(resource.shareToken);
  });
});

describe('listCoMarketingResources', () => {
  it('filters by category, status and source', async () => {
    const { api, resource: image } = await stored();
    const { resource: video } = await stored({ category: 'videos', name: 'Film' }, api);
    const { resource: kit } = await stored({ sourceType: 'campaign', campaignId: existing.campaign, name: 'Kit' }, api);
    await api.archiveCoMarketingResource({ params: { id: video.id } });
    const names = async (query: Record<string, string>) =>
      (await api.listCoMarketingResources({ query })).data.map(({ name }: { name: string }) => name);
    expect(await names({})).toEqual([kit.name, video.name, image.name]);
    expect(await names({ category: 'images' })).toEqual([kit.name, image.name]);
    expect(await names({ status: 'archived' })).toEqual([video.name]);
    expect(await names({ sourceType: 'campaign' })).toEqual([kit.name]);
    expect(await names({ search: 'FIL' })).toEqual([video.name]);
    expect((await api.listCoMarketingResources({ query: { category: 'x' } })).status).toBe(422);
  });

  it('grouped returns an object with exactly the eight categories, without pagination', async () => {
    const { api, resource: image } = await stored();
    const { resource: video } = await stored({ category: 'videos' }, api);
    const { resource: old } = await stored({ category: 'videos', name: 'Old' }, api);
    await api.archiveCoMarketingResource({ params: { id: old.id } });
    const query = { grouped: 'true', status: 'active', limit: '1', page: '7' };
    const { status, data, body } = await api.listCoMarketingResources({ query });
    expect([status, Object.keys(data), 'pagination' in body]).toEqual([200, categories, false]);
    const empty = Object.fromEntries(categories.map((category) => [category, []]));
    expect(data).toEqual({ ...empty, images: [image], videos: [video] });
    expect((await service.as().listCoMarketingResources({ query })).data).toEqual(empty);
    expect((await api.listCoMarketingResources({ query: { grouped: 'false' } })).body.pagination?.total).toBe(3);
  });
});

describe('updateCoMarketingResource', () => {
  it('updates the given fields, validates a new source, and keeps the sourceType', async () => {
    const { api, params } = await stored();
    const { status, data } = await api.updateCoMarketingResource({
      params,
      body: { name: 'Poster', category: 'print', sourceType: 'campaign', fileId: existing.file, fileUrl: null },
    });
    expect([status, data]).toEqual([
      200,
      expect.objectContaining({
        name: 'Poster',
        category: 'print',
        sourceType: 'file',
        fileUrl: null,
        fileId: existing.file,
        fileType: 'pdf',
        fileSize: '1.4 MB',
        version: 2,
      }),
    ]);
    const refused = await api.updateCoMarketingResource({ params, body: { fileId: missingId } });
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'fileId']);
    expect((await api.updateCoMarketingResource({ params, body: { fileId: null } })).status).toBe(422);
    expect((await api.updateCoMarketingResource({ params, body: { name: 'Poster' } })).data.version).toBe(2);
    const stale = await api.updateCoMarketingResource({ params, body: { name: 'X' }, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
  });

  it('revokes the link when sharing is disabled, and creates a new one when it is enabled again', async () => {
    const { api, params, resource } = await stored({ shareEnabled: true });
    expect(resource.shareToken).toMatch(/^[\w-]{43}$/);
    const share = async (shareEnabled: boolean) =>
      (await api.updateCoMarketingResource({ params, body: { shareEnabled } })).data.shareToken;
    expect(await share(true)).toBe(resource.shareToken);
    expect(await share(false)).toBeNull();
    expect(await service.sql('SELECT 1 FROM share_lookup WHERE resource_id = $1', [params.id])).toEqual([]);
    const next = await share(true);
    expect(next).toMatch(/^[\w-]{43}$/);
    expect(next).not.toBe(resource.shareToken);
  });
});

describe('archive, activate and delete', () => {
  it('switch between the two statuses and reject the current one', async () => {
    const { api, params } = await stored();
    expect((await api.activateCoMarketingResource({ params })).body).toMatchObject({
      status: 409,
      code: 'transition_refused',
      errors: [{ field: 'status', message: 'The status is active; it can change to archived' }],
    });
    const archived = await api.archiveCoMarketingResource({ params });
    expect([archived.data.status, archived.data.allowedTransitions]).toEqual(['archived', ['active']]);
    expect((await api.archiveCoMarketingResource({ params })).status).toBe(409);
    expect((await api.activateCoMarketingResource({ params })).data.status).toBe('active');
  });

  it('can also be done through status in an update', async () => {
    const { api, params } = await stored();
    const update = (status: string) => api.updateCoMarketingResource({ params, body: { status, name: 'Poster' } });
    const { data } = await update('archived');
    expect(data).toMatchObject({ status: 'archived', allowedTransitions: ['active'], name: 'Poster', version: 2 });
    expect((await update('archived')).data.version).toBe(2);
    expect((await update('active')).data.status).toBe('active');
    expect((await update('gone')).body.errors?.[0]?.field).toBe('status');
  });

  it('delete permanently, and only within the own tenant and environment', async () => {
    const { api, params } = await stored({ shareEnabled: true });
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const other of [service.as(), sandbox]) {
      expect((await other.deleteCoMarketingResource({ params })).status).toBe(404);
      expect((await other.updateCoMarketingResource({ params, body: { name: 'X' } })).status).toBe(404);
      expect((await other.recordCoMarketingUsage({ params, body: { action: 'share' } })).status).toBe(404);
    }
    expect((await api.deleteCoMarketingResource({ params })).data).toEqual({ id: params.id, deleted: true });
    expect((await api.getCoMarketingResource({ params })).status).toBe(404);
    expect((await api.deleteCoMarketingResource({ params })).status).toBe(404);
    expect(await service.sql('SELECT 1 FROM share_lookup WHERE resource_id = $1', [params.id])).toEqual([]);
  });
});

describe('getCoMarketingDownloadUrl', () => {
  it('returns the URL as stored, otherwise a link to the file, otherwise 409', async () => {
    const { api, params } = await stored();
    expect((await api.getCoMarketingDownloadUrl({ params })).data).toEqual({ url: fileUrl, expiresAt: null });
    const file = await stored({ fileUrl: undefined, fileId: existing.file }, api);
    expect((await api.getCoMarketingDownloadUrl({ params: file.params })).data).toEqual({
      url: `${publicUrl}/v1/public/files/x`,
      expiresAt: expect.any(String),
    });
    const linked = peer.requests.find(({ path }) => path.endsWith('/link'));
    expect([linked?.body, linked?.caller.tenantId]).toEqual([{ expiresIn: 900 }, api.caller.tenantId]);
    const page = await stored({ sourceType: 'landing-page', landingPageId: existing.landingPage }, api);
    const reply = await api.getCoMarketingDownloadUrl({ params: page.params });
    expect([reply.status, reply.data]).toEqual([200, { url: landingPageUrl, expiresAt: null }]);
    const campaign = await stored({ sourceType: 'campaign', campaignId: existing.campaign }, api);
    const none = await api.getCoMarketingDownloadUrl({ params: campaign.params });
    expect([none.status, none.body.code]).toEqual([409, 'no_download']);
    await service.sqlWithin(api.caller, 'UPDATE co_marketing_resource SET file_id = $1 WHERE id = $2', [
      missingId,
      file.params.id,
    ]);
    expect((await api.getCoMarketingDownloadUrl({ params: file.params })).status).toBe(409);
  });
});

describe('recordCoMarketingUsage', () => {
  it('increments a counter, returns both, and loses no concurrent update', async () => {
    const { api, params } = await stored();
    const count = (action: string) => api.recordCoMarketingUsage({ params, body: { action } });
    const replies = await Promise.all(Array.from({ length: 10 }, () => count('download')));
    expect(replies.map(({ data }) => data.downloads).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect((await count('share')).data).toEqual({ downloads: 10, shares: 1 });
    expect((await api.getCoMarketingResource({ params })).data).toMatchObject({ downloads: 10, shares: 1, version: 1 });
    expect((await count('view')).status).toBe(422);
  });
});
