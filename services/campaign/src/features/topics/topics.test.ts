import type { campaign } from '@tandem/campaign-contract';
import type { TestService } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

describe('topics', () => {
  it('are created, changed, listed and deleted', async () => {
    const api = service.as();
    const { status, data } = await api.createTopic({ body: { name: 'News' } });
    expect([status, data]).toMatchObject([201, { name: 'News', description: null, public: true, version: 1 }]);
    const params = { id: data.id };
    const changed = await api.updateTopic({ params, body: { public: false, description: 'Monthly' } });
    expect(changed.data).toMatchObject({ public: false, description: 'Monthly', version: 2 });
    const stale = await api.updateTopic({ params, body: { name: 'X' }, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
    expect((await api.listTopics({ query: { public: 'true' } })).data).toEqual([]);
    expect((await api.listTopics({ query: { public: 'false' } })).data).toMatchObject([{ name: 'News' }]);
    expect((await api.deleteTopic({ params })).data).toEqual({ id: data.id, deleted: true });
    expect((await api.getTopic({ params })).status).toBe(404);
  });

  it('have different names', async () => {
    const api = service.as();
    await api.createTopic({ body: { name: 'News' } });
    const { data } = await api.createTopic({ body: { name: 'Offers' } });
    const again = await api.createTopic({ body: { name: 'News' } });
    const renamed = await api.updateTopic({ params: { id: data.id }, body: { name: 'News' } });
    for (const { status, body } of [again, renamed]) expect([status, body.code]).toEqual([409, 'name_taken']);
  });

  it('stay while somebody has unsubscribed from them', async () => {
    const api = service.as();
    const { data } = await api.createTopic({ body: { name: 'News' } });
    const body = { channel: 'email', value: 'ada@example.com', topicId: data.id };
    const suppression = await api.createSuppression({ body });
    const params = { id: data.id };
    const reply = await api.deleteTopic({ params });
    expect([reply.status, reply.body.code]).toEqual([409, 'topic_in_use']);
    expect(reply.body.errors).toEqual([
      { field: 'id', message: `Is used by the suppression ‹suppression ${suppression.data.id}›` },
    ]);
    const { data: campaign } = await api.createCampaign({ body: { name: 'Spring', topicId: data.id } });
    const used = await api.deleteTopic({ params });
    expect([used.status, used.body.errors]).toEqual([
      409,
      [{ field: 'id', message: `Is used by the campaign ‹campaign ${campaign.id}›` }],
    ]);
    await api.deleteCampaign({ params: { id: campaign.id } });
    await api.deleteSuppression({ params: { id: suppression.data.id } });
    expect((await api.deleteTopic({ params })).status).toBe(200);
  });
});
