import { until } from '@tandem/testing';
import { type Agents, aRecommendation, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('dismissRecommendation', () => {
  it('decides a recommendation, and emits agent.recommendation_decided', async () => {
    const api = service.as();
    const { id, leadId } = await aRecommendation(service, api);
    const { status, data } = await api.dismissRecommendation({ params: { id }, body: { reason: 'Known already' } });
    expect(status).toBe(200);
    expect(data).toMatchObject({
      id,
      status: 'dismissed',
      dismissReason: 'Known already',
      decidedBy: '1',
      allowedTransitions: [],
    });
    expect(Date.parse(data.decidedAt)).toBeGreaterThan(Date.parse(data.createdAt));
    const event = await until('the event arrives', () =>
      service.events.find(
        ({ name, tenantId }) => name === 'agent.recommendation_decided' && tenantId === api.caller.tenantId,
      ),
    );
    expect(event).toMatchObject({ data: { recommendationId: id, leadId, status: 'dismissed' } });
  });

  it('needs no reason', async () => {
    const api = service.as();
    const { id } = await aRecommendation(service, api);
    const { status, data } = await api.dismissRecommendation({ params: { id }, body: {} });
    expect([status, data.dismissReason]).toEqual([200, null]);
  });

  it('returns 409 for one that is decided already, and keeps the first decision', async () => {
    const api = service.as();
    const { id } = await aRecommendation(service, api);
    await api.dismissRecommendation({ params: { id }, body: { reason: 'Known already' } });
    const replies = [
      await api.dismissRecommendation({ params: { id }, body: { reason: 'Known already' } }),
      await api.acceptRecommendation({ params: { id } }),
    ];
    for (const { status, body } of replies)
      expect([status, body.code, body.errors]).toEqual([
        409,
        'already_decided',
        [{ field: 'status', message: 'The status is dismissed; it cannot change' }],
      ]);
    const { data } = await api.listRecommendations({ query: { status: 'dismissed' } });
    expect(data.map((one: { id: string }) => one.id)).toEqual([id]);
  });

  it('returns 404 for a recommendation of another tenant or environment', async () => {
    const api = service.as();
    const { id } = await aRecommendation(service, api);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const stranger of [service.as(), sandbox]) {
      const { status, body } = await stranger.dismissRecommendation({
        params: { id },
        body: { reason: 'Known already' },
      });
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
    expect((await api.listRecommendations({ query: { status: 'pending' } })).data).toHaveLength(1);
  });

  it('returns 404 to a caller who may not read the lead', async () => {
    const api = service.as();
    const { id } = await aRecommendation(service, api);
    const narrowed = service.as({
      tenantId: api.caller.tenantId as number,
      userId: 7,
      can: ['agents:write', 'leads:read:own'],
    });
    const { status, body } = await narrowed.dismissRecommendation({
      params: { id },
      body: { reason: 'Known already' },
    });
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect((await api.listRecommendations({ query: { status: 'pending' } })).data).toHaveLength(1);
  });
});
