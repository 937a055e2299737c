import { createLog } from '@tandem/process';
import { type AiProvider, startAiProvider } from '@tandem/testing';
import { z } from 'zod';
import { type Ai, type Conversation, createAi } from './index.ts';

let provider: AiProvider;
let ai: Ai;
beforeEach(async () => {
  provider = await startAiProvider();
  ai = createAi(settings(), createLog('test'));
  asked.length = 0;
});
afterEach(async () => {
  await ai.close();
  await provider.close();
});

const settings = (apiKey = 'sk-test') => ({
  AI_PROVIDER_API_KEY: apiKey,
  AI_PROVIDER_MODEL: 'small',
  AI_PROVIDER_BASE_URL: provider.url,
  AI_PROVIDER_PRICES: { small: { prompt: 1, completion: 10 } },
});

const asked: unknown[] = [];
const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  input: z.object({ city: z.string() }),
  async run({ city }: { city: string }) {
    asked.push(city);
    if (city === 'Atlantis') throw new Error('postgres://user:secret@host is down');
    return { city, degrees: 21 };
  },
};

const conversation: Conversation<{ answer: string }> = {
  name: 'weather',
  instructions: 'Answer questions about the weather.',
  prompt: 'Is it warm in Berlin?',
  tools: [weather as never],
  schema: z.object({ answer: z.string().min(1) }),
  check: ({ answer }) => (answer === 'maybe' ? ['maybe is no answer'] : []),
  template: () => ({ answer: 'unknown' }),
  budget: { steps: 4, tokens: 10_000 },
};
const answer = { says: { answer: 'yes' } };
const fromTemplate = { output: { answer: 'unknown' }, source: 'template' };

/** A limit that notes what is taken and settled. */
function limitOf(tokens: number) {
  const taken: number[] = [];
  const settled: number[] = [];
  let left = tokens;
  const take = async (wanted: number) => {
    if (wanted > left) return undefined;
    left -= wanted;
    taken.push(wanted);
    const settle = async (used: number) => {
      left += wanted - used;
      settled.push(used);
    };
    return { settle };
  };
  return { taken, settled, take };
}

describe('a limit of tokens', () => {
  const calls = { calls: [['get_weather', { city: 'Berlin' }]] } as { calls: [string, unknown][] };

  it('is asked before each request for what the request can use, and counts what it has used', async () => {
    provider.script(calls, answer);
    const limit = limitOf(100_000);
    const { source } = await ai.converse({ ...conversation, maxTokens: 500, limit });
    expect([source, limit.settled]).toEqual(['model', [110, 110]]);
    // At least the bytes of the request and the tokens of the answer, and more for the second one.
    const [first, second] = limit.taken as [number, number];
    expect(first).toBeGreaterThan(500 + JSON.stringify(provider.requests[0]?.messages).length);
    expect(second).toBeGreaterThan(first);
  });

  it('ends the conversation with the template before the request that could pass it', async () => {
    provider.script(answer);
    const enough = limitOf(20_000);
    await ai.converse({ ...conversation, maxTokens: 500, limit: enough });
    provider.requests.length = 0;
    provider.script(calls, answer);
    const limit = limitOf(enough.taken[0] as number);
    const result = await ai.converse({ ...conversation, maxTokens: 500, limit });
    expect([limit.taken.length, provider.requests.length]).toEqual([1, 1]);
    expect(result).toMatchObject({ ...fromTemplate, why: 'no tokens are left', usage: { promptTokens: 100 } });
    provider.requests.length = 0;
    expect(await ai.converse({ ...conversation, limit: limitOf(500) })).toMatchObject(fromTemplate);
    expect(provider.requests).toEqual([]);
  });

  it.each([
    ['an error of the provider', { status: 500 }, [0]],
    ['an answer that was cut off', { says: 'yes', finish: 'length' }, [110]],
    ['an answer that counts more than was taken', { ...answer, promptTokens: 50_000 }, [50_010]],
    ['an answer with a count that nothing can have', { ...answer, promptTokens: 1e300 }, [10_000_010]],
  ] as const)('counts the tokens of %s', async (_, reply, settled) => {
    provider.script(reply);
    const limit = limitOf(20_000);
    await ai.converse({ ...conversation, limit });
    expect(limit.settled).toEqual(settled);
  });

  it('counts an answer without a count as what was taken', async () => {
    provider.script({ says: answer.says, promptTokens: null });
    const limit = limitOf(20_000);
    expect((await ai.converse({ ...conversation, limit })).source).toBe('model');
    expect([limit.taken.length, limit.settled]).toEqual([1, []]);
  });

  it('is given back while the provider is not asked because it is down', async () => {
    provider.script({ status: 500 });
    for (let at = 0; at < 3; at++) await ai.converse(conversation);
    const limit = limitOf(20_000);
    expect(await ai.converse({ ...conversation, limit })).toMatchObject(fromTemplate);
    expect([provider.requests.length, limit.settled]).toEqual([3, [0]]);
  });
});

describe('converse', () => {
  it('gives the model the results of its tools, and counts tokens and cost', async () => {
    provider.script({ calls: [['get_weather', { city: 'Berlin' }]] }, answer);
    const result = await ai.converse(conversation);
    expect(result).toMatchObject({
      ...{ output: { answer: 'yes' }, source: 'model' },
      // 200 tokens at 1 $ and 20 tokens at 10 $ for a million.
      usage: { promptTokens: 200, completionTokens: 20, cost: 0.0004 },
      calls: [{ tool: 'get_weather', input: { city: 'Berlin' } }],
    });
    const [first, second] = provider.requests;
    expect(first?.tools).toMatchObject([{ function: { name: 'get_weather', parameters: { type: 'object' } } }]);
    expect(second?.messages.at(-1)).toEqual({
      ...{ role: 'tool', tool_call_id: 'call_1_0' },
      content: JSON.stringify({ city: 'Berlin', degrees: 21 }),
    });
  });

  it.each([
    ['an unknown tool', ['delete_everything', {}], 'There is no such tool'],
    ['other arguments', ['get_weather', { town: 'Berlin' }], 'The arguments do not match the schema of the tool'],
    ['arguments that are no JSON', ['get_weather', '{city'], 'The arguments do not match the schema of the tool'],
    ['a tool that fails', ['get_weather', { city: 'Atlantis' }], 'The tool failed'],
  ] as const)('tells the model of %s without details, and goes on', async (_, call, error) => {
    provider.script({ calls: [call as unknown as [string, unknown]] }, answer);
    const result = await ai.converse(conversation);
    expect(result).toMatchObject({ source: 'model', calls: [{ error }] });
    expect(provider.requests[1]?.messages.at(-1)?.content).toBe(JSON.stringify({ error }));
  });

  it('lets the model repair an answer', async () => {
    provider.script({ says: { answer: 'maybe' } }, answer);
    expect(await ai.converse(conversation)).toMatchObject({ source: 'model', output: { answer: 'yes' } });
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain('maybe is no answer');
  });

  it('ends after the steps of its budget; the last request offers no tools', async () => {
    provider.script({ calls: [['get_weather', { city: 'Berlin' }]] });
    const result = await ai.converse(conversation);
    expect(result).toMatchObject({ ...fromTemplate, why: 'no valid response within the steps of the budget' });
    expect(provider.requests).toHaveLength(4);
    expect(provider.requests.map(({ tools }) => tools?.length)).toEqual([1, 1, 1, undefined]);
  });

  it('ends when its tokens are used up, and states them', async () => {
    provider.script({ calls: [['get_weather', { city: 'Berlin' }]] });
    const result = await ai.converse({ ...conversation, budget: { steps: 10, tokens: 200 } });
    expect(result).toMatchObject({
      ...{ ...fromTemplate, why: 'token budget is used up' },
      usage: { promptTokens: 200, completionTokens: 20 },
    });
  });

  it('runs at most eight of the calls of one response', async () => {
    const many = Array.from({ length: 50 }, () => ['get_weather', { city: 'Berlin' }] as [string, unknown]);
    provider.script({ calls: many }, answer);
    expect((await ai.converse(conversation)).calls).toHaveLength(8);
  });

  it('uses the template without a key and after an error of the provider', async () => {
    provider.script({ status: 500 });
    expect(await ai.converse(conversation)).toMatchObject({ ...fromTemplate, why: 'provider returned 500' });
    const keyless = createAi(settings(''), createLog('test'));
    expect(await keyless.converse(conversation)).toMatchObject({ ...fromTemplate, why: 'no provider key configured' });
    await keyless.close();
  });

  it('asks the model that the conversation names, whose cost is unknown without prices', async () => {
    provider.script(answer);
    const { usage } = await ai.converse({ ...conversation, model: 'large' });
    expect([provider.requests[0]?.model, usage.cost]).toEqual(['large', null]);
  });
});
