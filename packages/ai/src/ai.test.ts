import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog, type Log } from '@tandem/process';
import { z } from 'zod';
import { createAi, SchemaError } from './index.ts';

type Respond = (response: ServerResponse) => void;

interface Call {
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown> & { messages: { role: string; content: string }[] };
}

/** A provider that returns these responses in order, and then repeats the last one. */
async function aProvider(...responds: Respond[]) {
  const calls: Call[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    calls.push({ path: request.url, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    responds[Math.min(calls.length, responds.length) - 1]?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`, close: () => stop(server) };
}

const servers: Server[] = [];
const stop = (server: Server) => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
};
afterEach(() => Promise.all(servers.splice(0).map(stop)));

const json =
  (status: number, body: unknown): Respond =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const says = (content: unknown, finish_reason = 'stop') =>
  json(200, {
    choices: [{ finish_reason, message: { content: typeof content === 'string' ? content : JSON.stringify(content) } }],
  });

const key = 'sk-of-the-test';
const lines: Record<string, unknown>[] = [];
const log = Object.assign(createLog('test'), {
  info: (message: string, meta: object) => void lines.push({ message, ...meta }),
}) as Log;
beforeEach(() => lines.splice(0));

const running: ReturnType<typeof createAi>[] = [];
// Their worker threads keep the process alive.
afterEach(() => Promise.all(running.splice(0).map((ai) => ai.close())));
const anAi = (url: string, limits: Parameters<typeof createAi>[2] = {}, apiKey = key) => {
  const settings = { AI_PROVIDER_API_KEY: apiKey, AI_PROVIDER_MODEL: 'small', AI_PROVIDER_BASE_URL: url };
  const ai = createAi(settings, log, limits);
  running.push(ai);
  return ai;
};

const task = {
  name: 'colours',
  instructions: 'Name a colour.',
  prompt: 'the secret of my company',
  schema: z.object({ colour: z.string().min(1) }),
  check: ({ colour }: { colour: string }) => (colour === 'grey' ? ['grey is not a colour'] : []),
  template: () => ({ colour: 'blue' }),
};
const fromTemplate = { output: { colour: 'blue' }, source: 'template' };

describe('generate', () => {
  it('returns the provider’s response, requested by the protocol', async () => {
    const { calls, url } = await aProvider(says({ colour: 'red' }));
    expect(await anAi(url).generate({ ...task, temperature: 0.5, maxTokens: 100 })).toEqual({
      output: { colour: 'red' },
      source: 'model',
    });
    expect(calls).toHaveLength(1);
    expect(calls[0]?.path).toBe('/v1/chat/completions');
    expect(calls[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(calls[0]?.body).toMatchObject({
      model: 'small',
      temperature: 0.5,
      max_tokens: 100,
      messages: [
        { role: 'system', content: expect.stringContaining('Name a colour.') },
        { role: 'user', content: task.prompt },
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'colours', schema: { type: 'object' } } },
    });
  });

  it('parses a response in a code fence', async () => {
    const { url } = await aProvider(says('```json\n{"colour":"red"}\n```'));
    expect(await anAi(url).generate(task)).toMatchObject({ source: 'model' });
  });

  it.each<[string, unknown, string]>([
    ['no JSON', 'red, I would say', 'The response must be a single JSON value'],
    ['another shape', { colour: '' }, 'colour: '],
    ['a broken rule', { colour: 'grey' }, 'grey is not a colour'],
  ])('lets the provider repair %s', async (_, first, fault) => {
    const { calls, url } = await aProvider(says(first), says({ colour: 'red' }));
    expect(await anAi(url).generate(task)).toEqual({ output: { colour: 'red' }, source: 'model' });
    expect(calls[1]?.body.messages.slice(2)).toEqual([
      { role: 'assistant', content: expect.any(String) },
      { role: 'user', content: expect.stringContaining(fault) },
    ]);
  });

  it('uses the template when the repair is invalid too', async () => {
    const { calls, url } = await aProvider(says({ colour: 'grey' }));
    expect(await anAi(url).generate(task)).toEqual(fromTemplate);
    expect(calls).toHaveLength(2);
  });

  it.each<[string, Respond, string]>([
    ['500', json(500, {}), 'provider returned 500'],
    ['401', json(401, {}), 'provider returned 401'],
    ['429', json(429, {}), 'provider returned 429'],
    ['400', json(400, {}), 'provider returned 400'],
    ['a truncated response', says({ colour: 'red' }, 'length'), 'truncated'],
    ['a filtered response', says({ colour: 'red' }, 'content_filter'), 'stopped by content filter'],
    ['a refusal', json(200, { choices: [{ message: { content: null, refusal: 'No.' } }] }), 'refused'],
    ['an empty response', json(200, { choices: [] }), 'response is empty'],
    ['null', json(200, null), 'response is empty'],
    ['no JSON around it', (response) => void response.end('<html>'), 'response is not JSON'],
    ['more than 1 MB', says('x'.repeat(1_100_000)), 'response too large'],
    ['a connection that breaks', (response) => void response.destroy(), 'unreachable: UND_ERR_SOCKET'],
    [
      'a redirect',
      (response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
      'provider returned 307',
    ],
  ])('uses the template after %s, without a retry', async (_, respond, why) => {
    const { calls, url } = await aProvider(respond, says({ colour: 'red' }));
    expect(await anAi(url).generate(task)).toEqual(fromTemplate);
    expect(calls).toHaveLength(1);
    expect(lines).toEqual([{ message: 'generated', task: 'colours', source: 'template', why }]);
  });

  it.each<[string, Respond]>([
    ['nothing', () => {}],
    ['an incomplete response', (response) => void response.writeHead(200).write('{')],
  ])('times out when a provider sends %s', async (_, respond) => {
    const { url } = await aProvider(respond);
    const began = performance.now();
    expect(await anAi(url, { timeoutMs: 300 }).generate(task)).toEqual(fromTemplate);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(lines[0]?.why).toBe('timed out');
  });

  it('applies one time limit to first attempt and repair together', async () => {
    const { calls, url } = await aProvider(says('rubbish'), () => {});
    const began = performance.now();
    expect(await anAi(url, { timeoutMs: 1_500 }).generate(task)).toEqual(fromTemplate);
    expect([calls.length, performance.now() - began < 5_000]).toEqual([2, true]);
  });

  it('uses the template without a key', async () => {
    const { calls, url } = await aProvider(says({ colour: 'red' }));
    expect(await anAi(url, {}, '').generate(task)).toEqual(fromTemplate);
    expect(calls).toHaveLength(0);
  });

  it('uses the template when the connection is refused', async () => {
    const { url, close } = await aProvider();
    await close();
    expect(await anAi(url).generate(task)).toEqual(fromTemplate);
  });

  it('logs neither prompt nor key', async () => {
    const { url } = await aProvider(says({ colour: 'grey' }), json(500, { error: task.prompt }));
    await anAi(url).generate(task);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toMatch(/secret of my company|sk-of-the-test/);
  });
});

describe('a provider that is down', () => {
  it('is skipped after three consecutive failures, and probed once after the pause', async () => {
    const dead = json(500, {});
    const { calls, url } = await aProvider(dead, dead, dead, dead, says({ colour: 'red' }));
    let now = 0;
    const ai = anAi(url, { pauseMs: 60_000, now: () => now });
    const generate = () => ai.generate(task);
    for (let n = 0; n < 6; n++) expect(await generate()).toEqual(fromTemplate);
    expect(calls).toHaveLength(3);
    now = 60_001;
    await Promise.all([generate(), generate(), generate()]);
    expect(calls).toHaveLength(4);
    now = 120_002;
    expect(await generate()).toMatchObject({ source: 'model' });
    expect(await Promise.all([generate(), generate()])).toMatchObject([{ source: 'model' }, { source: 'model' }]);
  });

  it('is not one that rejects single requests', async () => {
    const { calls, url } = await aProvider(json(400, {}));
    const ai = anAi(url);
    for (let n = 0; n < 5; n++) await ai.generate(task);
    expect(calls).toHaveLength(5);
  });
});

describe('generateBySchema', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 3 } }, required: ['n'] };
  const bySchema = {
    name: 'own',
    instructions: 'Do.',
    prompt: 'x',
    schema,
    tenantId: 1,
    template: () => 'A text',
  };

  it('returns a valid response, and repairs an invalid one', async () => {
    const { calls, url } = await aProvider(says({ n: 1 }), says({ n: 4 }));
    expect(await anAi(url).generateBySchema(bySchema)).toEqual({ output: { n: 4 }, source: 'model' });
    expect(calls[1]?.body.messages.at(-1)?.content).toContain('n must be >= 3');
    expect(calls[0]?.body.response_format).toMatchObject({ json_schema: { schema } });
  });

  it('returns the smallest value when no response is valid', async () => {
    const { url } = await aProvider(says({ n: 1 }));
    expect(await anAi(url).generateBySchema(bySchema)).toEqual({ output: { n: 3 }, source: 'template' });
  });

  it('returns text when there is no schema', async () => {
    const { calls, url } = await aProvider(says('Once upon a time'));
    const { schema: _, ...free } = bySchema;
    expect(await anAi(url).generateBySchema(free)).toEqual({ output: 'Once upon a time', source: 'model' });
    expect(calls[0]?.body).not.toHaveProperty('response_format');
  });

  it('rejects an unusable schema before it calls the provider', async () => {
    const { calls, url } = await aProvider(says({}));
    await expect(anAi(url).generateBySchema({ ...bySchema, schema: { type: 'no' } })).rejects.toThrow(SchemaError);
    expect(calls).toHaveLength(0);
  });
});
