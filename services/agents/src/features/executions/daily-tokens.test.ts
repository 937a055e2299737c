import type { agents } from '@tandem/agents-contract';
import { type AiProvider, startAiProvider, type TestService } from '@tandem/testing';
import { type Agents, type Api, runThrough, startAgents } from '../../agents.test-service.ts';

// A request takes about 8,000 tokens before it is sent.
const tokensPerDay = 30_000;
const promptTokens = 4_990;
const tokensOfAnswer = 5_000;

let provider: AiProvider;
let service: Agents;
let twin: TestService<typeof agents>;
beforeAll(async () => {
  provider = await startAiProvider();
  const settings = { AI_PROVIDER_API_KEY: 'sk-test', AI_PROVIDER_BASE_URL: provider.url };
  service = await startAgents({}, { ...settings, AGENTS_TOKENS_PER_DAY: tokensPerDay });
  twin = await service.twin();
  const proposal = { type: 'create_task', title: 'Send the catalogue', taskType: 'email', dueInDays: 2 };
  const says = { action: 'email', reason: 'The lead asked for it', confidence: 0.8, proposal };
  provider.script({ says, promptTokens });
});
afterAll(async () => {
  await twin?.close();
  await service?.close();
  await provider?.close();
});
beforeEach(() => {
  provider.requests.length = 0;
});

const used = async (api: Api) =>
  service.sqlWithin(
    api.caller,
    `SELECT (now() AT TIME ZONE 'UTC')::date - day AS age, tokens::int FROM model_usage_day ORDER BY day`,
  );
const run = async (api: Api, leads: number) => {
  const { executions } = await runThrough(
    api,
    'recommender',
    Array.from({ length: leads }, () => service.aLead()),
  );
  return executions as { status: string; source: string; usage: { promptTokens: number } | null }[];
};

describe('the tokens of a day', () => {
  it('are not passed by executions that run at once in two instances; the others follow their rules', async () => {
    const api = service.as();
    const batches = await Promise.all([run(api, 12), run(api, 12), run(api, 12), run(api, 12)]);
    const executions = batches.flat();
    expect(executions.every(({ status }) => status === 'succeeded')).toBe(true);
    const byModel = executions.filter(({ source }) => source === 'model');
    expect(byModel.length).toBeGreaterThan(0);
    expect(byModel.length * tokensOfAnswer).toBeLessThanOrEqual(tokensPerDay);
    expect(provider.requests).toHaveLength(byModel.length);
    expect(executions.filter(({ usage }) => usage).length).toBe(byModel.length);
    expect(await used(api)).toEqual([{ age: 0, tokens: byModel.length * tokensOfAnswer }]);
  });

  it('are those of a tenant, an environment and a day', async () => {
    const api = service.as();
    await service.sqlWithin(
      api.caller,
      `INSERT INTO model_usage_day (day, tokens) VALUES ((now() AT TIME ZONE 'UTC')::date - 1, ${tokensPerDay})`,
    );
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const one of [api, sandbox, service.as()]) expect((await run(one, 1))[0]?.source).toBe('model');
    expect(await used(api)).toEqual([
      { age: 1, tokens: tokensPerDay },
      { age: 0, tokens: tokensOfAnswer },
    ]);
    expect(await used(sandbox)).toEqual([{ age: 0, tokens: tokensOfAnswer }]);
  });

  it('do not include what was created on another day: an execution counts when it asks the model', async () => {
    const api = service.as();
    await run(api, 1);
    await service.sqlWithin(api.caller, `UPDATE model_usage_day SET tokens = ${tokensPerDay}`);
    await service.sqlWithin(api.caller, `UPDATE execution SET created_at = created_at - interval '2 days'`);
    provider.requests.length = 0;
    const [execution] = await run(api, 1);
    expect([execution?.source, execution?.usage, provider.requests]).toEqual(['template', null, []]);
  });

  it('get back what a request without an answer has taken', async () => {
    const failing = await startAiProvider();
    failing.script({ status: 400 });
    const settings = { AI_PROVIDER_API_KEY: 'sk-test', AI_PROVIDER_BASE_URL: failing.url };
    const other = await startAgents({}, { ...settings, AGENTS_TOKENS_PER_DAY: tokensPerDay });
    try {
      const by = other.as();
      const { executions } = await runThrough(by, 'recommender', [other.aLead()]);
      expect(executions[0].source).toBe('template');
      expect(failing.requests).toHaveLength(1);
      expect(await other.sqlWithin(by.caller, 'SELECT tokens::int FROM model_usage_day')).toEqual([{ tokens: 0 }]);
    } finally {
      await other.close();
      await failing.close();
    }
  });
});
