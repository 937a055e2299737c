import { createHash } from 'node:crypto';
import {
  anonymous,
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

const fileUrl = 'https://cdn.example.com/banner.png';
const evil = `"><script>alert('1')</script>&`;

async function shared(fields: object = {}, api = service.as()) {
  const body = { name: 'Banner', category: 'social-posts', sourceType: 'file', fileUrl, shareEnabled: true, ...fields };
  const { data } = await api.createCoMarketingResource({ body });
  const request = { params: { token: data.shareToken as string } };
  const downloads = async () => (await api.getCoMarketingResource({ params: { id: data.id } })).data.downloads;
  return { api, id: data.id as string, request, downloads };
}

describe('a share link', () => {
  it('returns the public fields without details of the owner', async () => {
    const { request } = await shared({ description: 'For spring', shareCaption: 'Look!', fileId: existing.file });
    const { status, data } = await anonymous(service).getSharedResource(request);
    expect([status, data]).toEqual([
      200,
      {
        name: 'Banner',
        category: 'social-posts',
        description: 'For spring',
        fileType: 'pdf',
        fileSize: '1.4 MB',
        thumbnailUrl: null,
        shareCaption: 'Look!',
      },
    ]);
  });

  it('returns the download URL and counts it, also in the sandbox', async () => {
    const tenantId = service.as().caller.tenantId as number;
    for (const environment of ['live', 'sandbox'] as const) {
      const { request, downloads } = await shared({}, service.as({ tenantId, environment }));
      const { status, data } = await anonymous(service).downloadSharedResource(request);
      expect([status, data, await downloads()]).toEqual([200, { url: fileUrl, expiresAt: null }, 1]);
    }
    const { request, downloads, api } = await shared({ fileUrl: undefined, fileId: existing.file });
    expect((await anonymous(service).downloadSharedResource(request)).data.url).toBe(`${publicUrl}/v1/public/files/x`);
    expect([peer.requests.at(-1)?.caller.tenantId, await downloads()]).toEqual([api.caller.tenantId, 1]);
  });

  it('answers 503 with Retry-After while it is not known whether the tenant allows sharing', async () => {
    const alone = await startPartner();
    try {
      const { request } = await shared({}, alone.as());
      const { status, body, headers } = await anonymous(alone).getSharedResource(request);
      expect([status, body.code, headers['retry-after']]).toEqual([503, 'unavailable', '1']);
    } finally {
      await alone.close();
    }
  });

  it('does not exist while its tenant is suspended', async () => {
    const { api, request } = await shared();
    const setState = (state: string) =>
      service.sqlWithin(
        api.caller,
        `INSERT INTO platform.tenant_state (state, version) VALUES ('${state}', 1)
         ON CONFLICT (tenant_id) DO UPDATE SET state = excluded.state`,
      );
    await setState('suspended');
    const everyAnswer = async () => [
      (await anonymous(service).getSharedResource(request)).status,
      (await anonymous(service).downloadSharedResource(request)).status,
      (await anonymous(service).showSharePage(request)).status,
      (await anonymous(service).followShareDownload(request)).status,
    ];
    expect(await everyAnswer()).toEqual([404, 404, 404, 404]);
    await setState('active');
    expect(await everyAnswer()).toEqual([200, 200, 200, 302]);
  });

  it('does not count when there is nothing to download', async () => {
    const { request, downloads } = await shared({ sourceType: 'campaign', campaignId: existing.campaign });
    expect((await anonymous(service).downloadSharedResource(request)).body.code).toBe('no_download');
    expect((await anonymous(service).followShareDownload(request)).status).toBe(409);
    expect(await downloads()).toBe(0);
  });

  it('returns 404 from every operation when unknown, revoked, archived or deleted', async () => {
    const ends = {
      unknown: async () => ({ params: { token: 'x'.repeat(43) } }),
      ended: async () => {
        const { api, id, request } = await shared();
        await api.updateCoMarketingResource({ params: { id }, body: { shareEnabled: false } });
        await api.updateCoMarketingResource({ params: { id }, body: { shareEnabled: true } });
        return request;
      },
      archived: async () => {
        const { api, id, request } = await shared();
        await api.archiveCoMarketingResource({ params: { id } });
        return request;
      },
      deleted: async () => {
        const { api, id, request } = await shared();
        await api.deleteCoMarketingResource({ params: { id } });
        return request;
      },
    };
    for (const [end, make] of Object.entries(ends)) {
      const request = await make();
      const visitor = anonymous(service);
      const replies = [
        await visitor.getSharedResource(request),
        await visitor.downloadSharedResource(request),
        await visitor.showSharePage(request),
        await visitor.followShareDownload(request),
      ];
      expect([end, replies.map(({ status }) => status)]).toEqual([end, [404, 404, 404, 404]]);
    }
  });

  it('works again when an archived resource is activated', async () => {
    const { api, id, request } = await shared();
    await api.archiveCoMarketingResource({ params: { id } });
    await api.activateCoMarketingResource({ params: { id } });
    expect((await anonymous(service).getSharedResource(request)).status).toBe(200);
  });

  it('is not stored in plain text in the lookup table', async () => {
    const { request } = await shared();
    const rows = await service.sql('SELECT token_hash FROM share_lookup');
    expect(JSON.stringify(rows)).not.toContain(request.params.token);
  });
});

describe('the share page', () => {
  it('shows the resource, escapes every text, and has preview metadata', async () => {
    const { request } = await shared({
      name: `N${evil}`,
      description: `D${evil}`,
      shareCaption: `C${evil}`,
      thumbnailUrl: `https://cdn.example.com/a.png?x=1&y='2'`,
    });
    const { status, text, headers } = await anonymous(service).showSharePage(request);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const safe = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;';
    expect(text).not.toContain('<script');
    expect(text).toContain(`<h1>N${safe}</h1>`);
    expect(text).toContain(`<p>D${safe}</p>`);
    expect(text).toContain(`<p class="caption">C${safe}</p>`);
    expect(text).toContain(`<meta property="og:title" content="N${safe}">`);
    expect(text).toContain(`<meta property="og:description" content="C${safe}">`);
    expect(text).toMatch(/<img src="https:\/\/cdn\.example\.com\/a\.png\?x=1&amp;y=(&#39;|%27)2(&#39;|%27)" alt="">/);
    expect(text).toContain(`<meta property="og:url" content="${publicUrl}/s/${request.params.token}">`);
    expect(text).toContain(`<a href="${publicUrl}/s/${request.params.token}/download"`);
  });

  it('returns errors as HTML to browsers and as JSON to other clients', async () => {
    const unknown = { params: { token: 'x'.repeat(43) } };
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const open of ['showSharePage', 'followShareDownload'] as const) {
      const page = await anonymous(service)[open]({ ...unknown, headers: { accept } });
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(page.text).toContain('<h1>This page does not exist</h1>');
      expect(page.text).not.toContain('Resource not found');
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      for (const other of ['*/*', 'application/json'])
        expect((await anonymous(service)[open]({ ...unknown, headers: { accept: other } })).body.code).toBe(
          'not_found',
        );
    }
    const json = await anonymous(service).getSharedResource({ ...unknown, headers: { accept } });
    expect(json.body.code).toBe('not_found');
  });

  it('has a Content-Security-Policy that allows only its style and images', async () => {
    const { request } = await shared();
    const { text, headers } = await anonymous(service).showSharePage(request);
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] as string;
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  it('has a download button only if there is a download, which is counted', async () => {
    const none = await shared({ sourceType: 'campaign', campaignId: existing.campaign });
    expect((await anonymous(service).showSharePage(none.request)).text).not.toContain('/download');
    const { request, downloads } = await shared();
    const { headers: head } = await anonymous(service).followShareDownload({ ...request, isHead: true });
    expect([head.location, await downloads()]).toEqual([fileUrl, 0]);
    const { status, headers } = await anonymous(service).followShareDownload(request);
    expect([status, headers.location, await downloads()]).toEqual([302, fileUrl, 1]);
    await anonymous(service).showSharePage(request);
    expect(await downloads()).toBe(1);
  });

  it('has a button that opens a landing page', async () => {
    const { request, downloads } = await shared({
      sourceType: 'landing-page',
      landingPageId: existing.landingPage,
      fileUrl: undefined,
    });
    expect((await anonymous(service).showSharePage(request)).text).toContain('>Open</a>');
    const { status, headers } = await anonymous(service).followShareDownload(request);
    expect([status, headers.location, await downloads()]).toEqual([302, landingPageUrl, 1]);
  });

  it('redirects to URLs with non-ASCII characters', async () => {
    const { request } = await shared({ fileUrl: 'https://cdn.example.com/Übersicht 漢字.pdf' });
    const { status, headers } = await anonymous(service).followShareDownload(request);
    expect([status, headers.location]).toEqual([
      302,
      'https://cdn.example.com/%C3%9Cbersicht%20%E6%BC%A2%E5%AD%97.pdf',
    ]);
    expect((await anonymous(service).downloadSharedResource(request)).data.url).toContain('Übersicht 漢字.pdf');
  });

  it('does not count when the file is unavailable', async () => {
    const { api, id, request, downloads } = await shared({ fileUrl: undefined, fileId: existing.file });
    await service.sqlWithin(api.caller, 'UPDATE co_marketing_resource SET file_id = $1 WHERE id = $2', [missingId, id]);
    expect((await anonymous(service).followShareDownload(request)).status).toBe(409);
    expect(await downloads()).toBe(0);
  });
});
