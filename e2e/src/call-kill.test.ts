import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { type CallProvider, startCallProvider, until } from '@tandem/testing';

const leadCount = 10;
/** The leads whose call is accepted while agents is killed, so that nobody gets the answer. */
const silent = [2, 6];
const waitMs = 180_000;

let provider: CallProvider;
let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  provider = await startCallProvider();
  fleet = await startFleet({
    services: ['identity', 'crm', 'agents'],
    instances: { agents: 2 },
    env: provider.settings,
  });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  await provider?.close();
}, 90_000);

const phoneOf = (number: number) => `+4917012345${String(number).padStart(2, '0')}`;

it('two instances of agents that are killed between a call and its record call each lead once', async () => {
  const { api, owner } = tenant;
  const leadIds: string[] = [];
  for (let number = 0; number < leadCount; number++) {
    const name = { firstName: 'Ada', lastName: 'Lovelace' };
    const { data } = await api.createLead({
      body: { ...name, email: `lead${number}@example.com`, phone: phoneOf(number) },
    });
    leadIds.push(data.id);
  }
  for (const number of silent) provider.script(phoneOf(number), 'silent');
  const { data: agents } = await api.listAgents({ query: { kind: 'caller' } });
  const params = { id: agents[0]?.id as string };
  await owner.updateAgent({ params, body: { config: { script: 'Good morning' } } });
  const { data: run } = await api.runAgentInBulk({ params, body: { leadIds } });
  expect(run.accepted).toBe(leadCount);
  await until('all calls are placed', () => provider.calls.length === leadCount, waitMs);
  for (const name of ['agents', 'agents2']) fleet.kill(name);

  const counts = await until(
    'every execution has succeeded',
    async () => {
      // The reports of some calls were lost while agents restarted.
      for (const call of provider.calls) await provider.report(call, 'completed').catch(() => undefined);
      // While agents restarts, the gateway answers 503.
      const reply = await api.getBulkRun({ params: { id: run.bulkRunId } }).catch(() => undefined);
      return reply?.data.status === 'completed' && reply.data.counts;
    },
    waitMs,
  );
  expect(counts).toMatchObject({ succeeded: leadCount });
  expect(new Set(provider.calls.map(({ to }) => to)).size).toBe(leadCount);
  expect(provider.calls).toHaveLength(leadCount);
  const { data: executions } = await api.listExecutions({ query: { bulkRunId: run.bulkRunId, limit: 100 } });
  const callIds = executions.map(({ output }) => output?.['callId']);
  expect(new Set(callIds)).toEqual(new Set(provider.calls.map(({ sid }) => sid)));
  expect(executions.map(({ attempt, steps }) => [attempt, steps.length])).toEqual(Array(leadCount).fill([1, 1]));
}, 400_000);

it('the gateway refuses a report without a valid signature, and one whose form is too large', async () => {
  const [call] = provider.calls;
  if (!call) throw new Error('No call');
  expect(call.statusUrl.startsWith(`${fleet.baseUrl}/v1/public/agents/calls/`)).toBe(true);
  expect(await provider.report(call, 'busy', { signature: 'none' })).toBe(403);
  expect(await provider.report(call, 'completed')).toBe(200);
  expect(await provider.report(call, 'busy', { fields: { Note: 'x'.repeat(20_000) } })).toBe(413);
});
