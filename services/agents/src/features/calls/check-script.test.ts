import { twimlOf } from '@tandem/telephony';
import { until } from '@tandem/testing';
import { type Agents, aCaller, agentOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

const longest = 'x'.repeat(3_968);
const scripts = [
  ['x'.repeat(3_969), longest],
  ['&'.repeat(794), '&'.repeat(793)],
  ['"'.repeat(662), '"'.repeat(661)],
] as const;
const message = expect.stringMatching(/^Is too long\. .* 3,968 characters/);

it('the limit in the message is that of the provider', () => {
  expect(scripts.map(([long, short]) => [twimlOf(long), typeof twimlOf(short)])).toEqual(
    scripts.map(() => [undefined, 'string']),
  );
});

describe('a script that is too long for a call', () => {
  it.each(scripts)('is refused when a caller is created or updated, and changes nothing', async (long, short) => {
    const api = service.as();
    const body = { name: 'Second', kind: 'caller' };
    const { status, body: refused } = await api.createAgent({ body: { ...body, config: { script: long } } });
    expect([status, refused.errors]).toEqual([422, [{ field: 'config.script', message }]]);
    expect((await api.listAgents()).data).toHaveLength(2);
    expect((await api.createAgent({ body: { ...body, config: { script: short } } })).status).toBe(201);

    const params = { id: await aCaller(api) };
    const before = (await api.getAgent({ params })).data;
    const update = await api.updateAgent({ params, body: { name: 'Anna', config: { script: long } } });
    expect([update.status, update.body.errors]).toEqual([422, [{ field: 'config.script', message }]]);
    expect((await api.getAgent({ params })).data).toEqual(before);
    expect((await api.updateAgent({ params, body: { config: { script: short } } })).data.config.script).toBe(short);
  });

  it('is allowed as the rules of a recommender, which are not said', async () => {
    const api = service.as();
    const config = { script: 'x'.repeat(10_000) };
    expect((await api.createAgent({ body: { name: 'Second', kind: 'recommender', config } })).status).toBe(201);
    const params = { id: await agentOf(api, 'recommender') };
    expect((await api.updateAgent({ params, body: { config } })).status).toBe(200);
  });

  it('is refused as the edited action of an approval, which stays pending', async () => {
    const api = service.as();
    const id = await aCaller(api, { approvalPolicy: 'always' });
    const leadId = service.aLead();
    await api.runAgent({ params: { id }, body: { leadId: String(leadId) } });
    const approval = await until('it waits', async () => (await api.listApprovals()).data[0]);
    const params = { id: approval.id };
    const editedAction = { type: 'call', goal: null, script: 'x'.repeat(3_969) };
    const { status, body } = await api.approveExecution({ params, body: { editedAction } });
    expect([status, body.errors]).toEqual([422, [{ field: 'editedAction.script', message }]]);
    expect((await api.getApproval({ params })).data).toEqual(approval);
    const shorter = await api.approveExecution({
      params,
      body: { editedAction: { ...editedAction, script: longest } },
    });
    expect(shorter.status).toBe(200);
    await until('it is said', () => service.callsTo(leadId)[0]?.twiml.includes(longest));
  });
});
