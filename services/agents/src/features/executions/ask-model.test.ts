import { createAi } from '@tandem/ai';
import { createLog } from '@tandem/process';
import { type AiProvider, startAiProvider, until } from '@tandem/testing';
import { cases } from '../../../evaluation/cases.ts';
import { injections } from '../../../evaluation/injections.ts';
import { scoreModel, scoreRules } from '../../../evaluation/score.ts';
import {
  type Agents,
  type Api,
  agentOf,
  executionOf,
  ownSettings,
  runThrough,
  startAgents,
} from '../../agents.test-service.ts';

const prices = { small: { prompt: 1, completion: 10 }, large: { prompt: 10, completion: 100 } };
const everything = ['agents:write', 'leads:read', 'activities:read', 'tasks:read', 'opportunities:read'];
let provider: AiProvider;
let service: Agents;
beforeAll(async () => {
  provider = await startAiProvider();
  const settings = { AI_PROVIDER_API_KEY: 'sk-test', AI_PROVIDER_MODEL: 'small', AI_PROVIDER_PRICES: prices };
  service = await startAgents({}, { ...settings, AI_PROVIDER_BASE_URL: provider.url });
  service.users('active', everything);
});
afterAll(async () => {
  await service?.close();
  await provider?.close();
});
beforeEach(() => {
  provider.requests.length = 0;
  service.known.requests.length = 0;
  service.known.changes.length = 0;
});

const task = { type: 'create_task', title: 'Send the catalogue', taskType: 'email', dueInDays: 2 };
const advice = { action: 'email', reason: 'The lead asked for the catalogue', confidence: 0.8, proposal: task };

describe('a recommender with a provider', () => {
  it('proposes what the model answers after reading the lead, with the trace and the cost of the run', async () => {
    provider.script(
      {
        calls: [
          ['get_lead', {}],
          ['list_activities', {}],
          ['list_tasks', {}],
        ],
      },
      { says: advice },
    );
    const api = service.as();
    const { executions } = await runThrough(api, 'recommender', [service.aLead({ tags: ['fair'] })]);
    const [execution] = executions;
    expect(execution).toMatchObject({
      ...{ status: 'succeeded', source: 'model', output: { action: 'email', confidence: 0.8 } },
      usage: { promptTokens: 200, completionTokens: 20, cost: 0.0004 },
    });
    expect(execution.steps.map(({ name }: { name: string }) => name)).toEqual([
      'Tool get_lead',
      'Tool list_activities',
      'Tool list_tasks',
      'Recommend the next action',
    ]);
    const [recommendation] = (await api.listRecommendations()).data;
    expect(recommendation).toMatchObject({ ...advice, status: 'pending', effect: null });
    const run = await api.getBulkRun({ params: { id: execution.bulkRunId } });
    expect(run.data.usage).toEqual({ promptTokens: 200, completionTokens: 20, cost: 0.0004 });
    // Addresses stay here, and the tools read with no more than they need.
    const sent = JSON.stringify(provider.requests);
    expect([sent.includes('fair'), sent.includes('@example.com'), sent.includes('+4917')]).toEqual([
      true,
      false,
      false,
    ]);
    const permissions = service.known.requests.flatMap(({ caller }) => caller.permissions);
    expect(permissions.filter((permission) => !permission.endsWith(':read'))).toEqual([]);
  });

  it.each([
    ['an answer that the rules refuse twice', { says: { ...advice, proposal: { type: 'convert', name: null } } }],
    ['an outage', { status: 500 }],
  ] as const)('recommends by its rules after %s', async (_, reply) => {
    provider.script(reply);
    const { executions } = await runThrough(service.as(), 'recommender', [service.aLead()]);
    expect(executions).toMatchObject([{ status: 'succeeded', source: 'template', output: { action: 'email' } }]);
  });

  it('offers only tools that the user who runs it could use, and narrows them as theirs', async () => {
    provider.script(
      {
        calls: [
          ['get_lead', {}],
          ['list_activities', {}],
          ['list_opportunities', {}],
        ],
      },
      { says: advice },
    );
    service.users('active', ['agents:write', 'leads:read', 'activities:read:own']);
    const api = service.as({ userId: 7 });
    const { executions } = await runThrough(api, 'recommender', [service.aLead({ assignedTo: '7' })]);
    service.users('active', everything);
    const offered = provider.requests[0]?.tools?.map(({ function: { name } }) => name);
    expect(offered).toEqual(['get_lead', 'list_activities']);
    expect(executions[0].steps.map(({ error }: { error: object | null }) => error !== null)).toEqual([
      ...[false, false, true],
      false,
    ]);
    const [list] = service.known.requests.filter(({ path }) => path.startsWith('/v1/activities'));
    expect(list?.caller).toMatchObject({ permissions: ['leads:read', 'activities:read'], narrow: { userId: 7 } });
  });

  it('can name only models that the platform knows', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'recommender') };
    const { status, body } = await api.updateAgent({ params, body: { config: { model: 'huge' } } });
    expect([status, body.errors]).toEqual([422, [{ field: 'config.model', message: 'Must be one of small, large' }]]);
  });

  it('asks the model of its configuration, with its goal', async () => {
    provider.script({ says: advice });
    const api = service.as();
    const id = await agentOf(api, 'recommender');
    await api.updateAgent({ params: { id }, body: { config: { model: 'large', goal: 'Sell engines' } } });
    const { executions } = await runThrough(api, 'recommender', [service.aLead()]);
    expect(executions[0].usage.cost).toBe(0.002);
    expect(provider.requests[0]).toMatchObject({ model: 'large' });
    expect(provider.requests[0]?.messages[1]?.content).toContain('Sell engines');
  });
});

describe('a model that obeys the text of a lead', () => {
  /** Runs the recommender for a lead with the text in its name, a tag and an activity. */
  async function runFor(api: Api, text: string) {
    const id = await agentOf(api, 'recommender');
    await api.updateAgent({ params: { id }, body: { approvalPolicy: 'risky' } });
    const leadId = service.aLead({ status: 'qualified', firstName: text.slice(0, 100), customFields: { note: text } });
    service.aLead();
    const { data } = await api.runAgent({ params: { id }, body: { leadId: String(leadId) } });
    const execution = await until('it ends or waits', async () => {
      const now = await executionOf(api, data.id);
      return !['queued', 'running'].includes(now.status) && now;
    });
    return { leadId, execution };
  }

  it.each(injections.map((one) => [one.text.slice(0, 60), one] as const))('%s', async (_, { text, obeys }) => {
    provider.script({ calls: [['get_lead', {}]] }, obeys, { says: advice });
    const api = service.as();
    const { leadId, execution } = await runFor(api, text);
    // Nothing acts, no other lead is read, and no right is used but reading.
    expect(service.known.changes).toEqual([]);
    const read = service.known.requests.flatMap(({ path, body }) => [
      ...(body.ids ?? []),
      ...(path.startsWith('/v1/') ? [String(new URL(path, 'http://crm').searchParams.get('leadId'))] : []),
    ]);
    expect(read.filter((id) => id !== String(leadId))).toEqual([]);
    const { data: recommendations } = await api.listRecommendations();
    for (const { status, proposal } of recommendations) {
      expect(proposal.type).not.toBe('call');
      expect(status).toBe(proposal.type === 'convert' ? 'awaiting_approval' : 'pending');
    }
    const tools = execution.steps.filter(({ type }: { type: string }) => type === 'tool');
    const refused = tools.filter(({ error }: { error: object | null }) => error);
    const isUnknownTool = 'calls' in obeys && !['get_lead', 'list_tasks'].includes(obeys.calls[0]?.[0] as string);
    expect(refused).toHaveLength(isUnknownTool ? 1 : 0);
  });
});

describe('the evaluation', () => {
  it('scores the rules as recorded, and every case differs', () => {
    const { accuracy, failed } = scoreRules();
    expect([accuracy, failed]).toEqual([1, []]);
    expect(new Set(cases.map(({ lead }) => JSON.stringify(lead))).size).toBe(cases.length);
  });

  it('scores a model by its answers', async () => {
    provider.script({ says: advice });
    const settings = { AI_PROVIDER_API_KEY: 'sk-test', AI_PROVIDER_MODEL: 'small', AI_PROVIDER_BASE_URL: provider.url };
    const ai = createAi({ ...ownSettings, ...settings }, createLog('evaluation'));
    const { accuracy, failed } = await scoreModel(ai);
    await ai.close();
    const right = cases.filter(({ accepted }) => accepted.includes('email'));
    expect(failed).toHaveLength(cases.length - right.length);
    expect(accuracy).toBeCloseTo(right.length / cases.length, 2);
  });
});
