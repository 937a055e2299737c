import { until } from '@tandem/testing';
import { type Agents, agentOf, codeOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

describe('updateAgent', () => {
  it('changes field by field, including config and limits, and emits agent.updated', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'caller') };
    const body = { name: 'Anna', config: { goal: 'A meeting' }, limits: { dailyCap: 5 }, kind: 'x' };
    const { status, data, headers } = await api.updateAgent({ params, body });
    expect([status, headers['etag']]).toEqual([200, expect.stringMatching(/^"2-/)]);
    expect(data).toMatchObject({
      name: 'Anna',
      kind: 'caller',
      status: 'active',
      config: { goal: 'A meeting', script: null, tone: null },
      limits: { dailyCap: 5, maxAttempts: 3, retryOn: ['no_answer', 'busy'] },
    });
    const isOurs = (name: string) => (event: { name: string; tenantId: number }) =>
      event.name === name && event.tenantId === api.caller.tenantId;
    const event = await until('the event arrives', () => service.events.find(isOurs('agent.updated')));
    expect(event).toMatchObject({ data: { agentId: params.id }, changes: { name: { from: 'Caller', to: 'Anna' } } });
    const stale = await api.updateAgent({ params, body: { name: 'B' }, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
  });

  it.each([
    [{ approvalPolicy: 'auto' }, 'approvalPolicy', 'Must be one of always, risky, never'],
    [
      { limits: { callingWindow: { days: [1], start: '18:00', end: '09:00', timezone: 'lead' } } },
      'limits.callingWindow.end',
      'Must be after start',
    ],
    [{ limits: { maxAttempts: 11 } }, 'limits.maxAttempts', 'Must be a whole number from 1 to 10'],
    [{ limits: { retryOn: ['answered'] } }, 'limits.retryOn.0', 'Must be one of no_answer, busy, failed'],
    [{ name: ' ' }, 'name', 'Must not be empty'],
  ])('rejects %j', async (body, field, message) => {
    const api = service.as();
    const reply = await api.updateAgent({ params: { id: await agentOf(api, 'caller') }, body });
    expect([reply.status, reply.body.errors]).toEqual([422, [{ field, message }]]);
  });

  it('changes the status too', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'recommender') };
    const { data } = await api.updateAgent({ params, body: { status: 'paused' } });
    expect(data).toMatchObject({ status: 'paused', allowedTransitions: ['active', 'disabled'], version: 2 });
    const run = () => api.runAgentInBulk({ params, body: { leadIds: [codeOf(api, service.aLead())] } });
    expect((await run()).body.code).toBe('agent_paused');
    expect((await api.updateAgent({ params, body: { status: 'paused' } })).data.version).toBe(2);
    expect((await api.updateAgent({ params, body: { status: 'active', name: 'Anna' } })).data).toMatchObject({
      status: 'active',
      name: 'Anna',
      version: 3,
    });
    expect((await run()).status).toBe(200);
    const wrong = await api.updateAgent({ params, body: { status: 'gone' } });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      [{ field: 'status', message: 'Must be one of active, paused, disabled' }],
    ]);
  });

  it('returns 404 for an agent of another tenant, and changes nothing', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'caller') };
    const { status, body } = await service.as().updateAgent({ params, body: { name: 'Theirs' } });
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect((await api.getAgent({ params })).data).toMatchObject({ name: 'Caller', version: 1 });
  });
});
