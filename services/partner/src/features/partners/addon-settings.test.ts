import { until } from '@tandem/testing';
import { anonymous, aPartner, aPeer, type Peer, type Service, startPartner } from '../../partner.test-service.ts';

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

describe('the addon Partner Program', () => {
  it('approves partners when they register, while it is active', async () => {
    const api = service.as();
    const { tenantId } = api.caller as { tenantId: number };
    expect((await api.createPartner({ body: aPartner() })).data.status).toBe('pending');
    peer.setAddons(tenantId, { partner_program: { autoApprove: true } });
    const approved = await until('the setting has arrived', async () => {
      const { data } = await api.createPartner({ body: aPartner() });
      return data.status === 'approved' && data;
    });
    expect(approved).toMatchObject({ approvedAt: expect.any(String), allowedTransitions: ['suspended', 'terminated'] });
    expect((await api.getPartner({ params: { id: approved.id } })).data.referralCodes).toHaveLength(1);
    await until('the approval is an event', () =>
      service.events.some(({ name, tenantId: of }) => name === 'partner.approved' && of === tenantId),
    );
    peer.setAddons(tenantId, {});
    await until('the addon is off', async () => {
      const { data } = await api.createPartner({ body: aPartner() });
      return data.status === 'pending';
    });
  });
});

describe('the addon Co-Marketing Library', () => {
  it('shows a name on public pages, and can switch them off', async () => {
    const api = service.as();
    const { tenantId } = api.caller as { tenantId: number };
    const body = {
      name: 'Engines',
      category: 'print',
      sourceType: 'file',
      fileUrl: 'https://example.com/engines.pdf',
      shareEnabled: true,
    };
    const { data: resource, status } = await api.createCoMarketingResource({ body });
    expect(status).toBe(201);
    const visitor = anonymous(service);
    const params = { token: resource.shareToken };
    const page = () => visitor.showSharePage({ params });
    expect((await page()).text).not.toContain('Babbage');
    peer.setAddons(tenantId, { co_marketing_library: { publicSharing: true, brandName: 'Babbage & <Sons>' } });
    await until('the page shows the name', async () => (await page()).text.includes('Babbage &amp; &lt;Sons&gt;'));
    peer.setAddons(tenantId, { co_marketing_library: { publicSharing: false, brandName: 'Babbage' } });
    await until('the page is off', async () => (await page()).status === 404);
    for (const operation of ['getSharedResource', 'downloadSharedResource', 'followShareDownload'] as const)
      expect((await visitor[operation]({ params })).status).toBe(404);
    peer.setAddons(tenantId, {});
    await until('the page is back', async () => (await page()).status === 200);
  });
});
