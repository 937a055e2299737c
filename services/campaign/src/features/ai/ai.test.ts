import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { campaign } from '@tandem/campaign-contract';
import type { TestService } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';
import { landingPageTemplate } from './templates/landing-page.ts';
import { sequenceTemplate } from './templates/sequence.ts';

/** Next responses of the provider stub; it returns 400 when there are none. */
const responses: unknown[] = [];
let requests: { messages: { content: string }[] }[] = [];
let provider: Server;
let service: TestService<typeof campaign>;
let withoutKey: TestService<typeof campaign>;

beforeAll(async () => {
  provider = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push(JSON.parse(Buffer.concat(chunks).toString()));
    const answer = responses.shift();
    if (answer === undefined) return void response.writeHead(400).end();
    const content = typeof answer === 'string' ? answer : JSON.stringify(answer);
    response.end(JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content } }] }));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  service = await startCampaign(`http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`);
  withoutKey = await startCampaign();
});
beforeEach(() => {
  requests = [];
  responses.splice(0);
});
afterAll(async () => {
  await service?.close();
  await withoutKey?.close();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});

const person = (of = service) => of.as({ type: 'user', keyId: null as never });
const sequence = sequenceTemplate({ prompt: 'Welcome new users', emailCount: '3' });
const page = landingPageTemplate({ prompt: 'Our spring webinar' });

describe('generateSequence', () => {
  it('returns only success, data and message, and names the source in a header', async () => {
    responses.push({ ...sequence, name: 'From the model' });
    const reply = await person().generateSequence({
      body: { prompt: 'Welcome', industry: 'Retail', emailCount: '3-5' },
    });
    expect([reply.status, reply.headers['x-ai-source']]).toEqual([200, 'model']);
    expect(reply.body).toEqual({
      success: true,
      data: { ...sequence, name: 'From the model' },
      message: 'Sequence generated',
    });
    expect(requests[0]?.messages[1]?.content).toBe('Welcome\nIndustry: Retail\nNumber of e-mails: 5');
  });

  it('falls back to the template without a key or when the provider fails', async () => {
    const body = { prompt: 'Welcome new users', emailCount: '3' };
    for (const api of [person(withoutKey), person()]) {
      const reply = await api.generateSequence({ body });
      expect([reply.status, reply.headers['x-ai-source'], reply.data]).toEqual([200, 'template', sequence]);
    }
  });

  const [first, ...others] = sequence.nodes;
  const loop = { edgeId: 'back', source: others.at(-1)?.nodeId, target: others[0]?.nodeId };
  it.each<[string, object]>([
    ['two triggers', { nodes: [...sequence.nodes, { ...first, nodeId: 'again' }] }],
    ['no trigger', { nodes: others, edges: sequence.edges.slice(1) }],
    ['a duplicate nodeId', { nodes: [...sequence.nodes, others.at(-1)] }],
    [
      'an edge to a missing node',
      { edges: [...sequence.edges, { edgeId: 'x', source: first?.nodeId, target: 'none' }] },
    ],
    ['an unreachable node', { edges: sequence.edges.slice(1) }],
    ['a cycle', { edges: [...sequence.edges, loop] }],
    ['an invalid type', { nodes: [first, { ...others[0], type: 'fax' }, ...others.slice(1)] }],
  ])('asks the model to repair %s, then falls back to the template', async (_, broken) => {
    const body = { prompt: 'Welcome new users', emailCount: '3' };
    const wrong = { ...sequence, name: 'Wrong', ...broken };
    responses.push(wrong, { ...sequence, name: 'Repaired' });
    expect((await person().generateSequence({ body })).data.name).toBe('Repaired');
    responses.push(wrong, wrong);
    const reply = await person().generateSequence({ body });
    expect([reply.headers['x-ai-source'], reply.data]).toEqual(['template', sequence]);
  });

  it.each([[{}], [{ prompt: '  ' }], [{ prompt: 'x'.repeat(4001) }], [{ prompt: 5 }]])('rejects %j', async (body) => {
    const reply = await person().generateSequence({ body });
    expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([422, ['prompt']]);
    expect(reply.body.meta?.version).toBe('v1');
  });
});

describe('generateLandingPage', () => {
  it('returns the page of the model with cleaned HTML', async () => {
    responses.push({ ...page, content: '<h1 style="color:red">Hi</h1>' });
    const reply = await person().generateLandingPage({ body: { prompt: 'A page', goal: 'Sign-ups' } });
    expect([reply.status, reply.headers['x-ai-source']]).toEqual([200, 'model']);
    expect(reply.body).toEqual({
      success: true,
      data: { ...page, content: '<h1>Hi</h1>' },
      message: 'Landing page generated',
    });
  });

  it.each<[string, object]>([
    ['a script', { content: '<p>a</p><script>alert(1)</script>' }],
    ['an event handler', { content: '<img src="x" onerror="alert(1)">' }],
    ['a javascript link', { content: '<a href="javascript:alert(1)">x</a>' }],
    ['a gap in the order', { sections: [{ ...page.sections[0], order: 1 }] }],
    ['an invalid slug', { slug: 'My Page' }],
    ['an invalid colour', { style: { ...page.style, primaryColor: 'red;}' } }],
  ])('asks the model to repair %s, then falls back to the template', async (_, broken) => {
    const body = { prompt: 'Our spring webinar' };
    responses.push({ ...page, ...broken }, { ...page, name: 'Repaired' });
    expect((await person().generateLandingPage({ body })).data.name).toBe('Repaired');
    responses.push({ ...page, ...broken }, { ...page, ...broken });
    const reply = await person().generateLandingPage({ body });
    expect([reply.headers['x-ai-source'], reply.data]).toEqual(['template', page]);
  });
});

describe('generateContent and generate', () => {
  const responseSchema = {
    type: 'object',
    properties: { title: { type: 'string', minLength: 1 }, tags: { type: 'array', items: { type: 'string' } } },
    required: ['title'],
    additionalProperties: false,
  };

  it.each(['generateContent', 'generate'] as const)(
    '%s returns output that matches the schema, for keys and users',
    async (name) => {
      for (const api of [service.as({ can: ['ai:write'] }), person()]) {
        responses.push({ title: '' }, { title: 'Better', tags: ['a'] });
        const reply = await api[name]({ body: { prompt: 'A title', responseSchema } });
        expect([reply.status, reply.headers['x-ai-source']]).toEqual([200, 'model']);
        expect(reply.body).toEqual({
          success: true,
          data: { output: { title: 'Better', tags: ['a'] } },
          message: 'Content generated',
        });
      }
    },
  );

  it('replays the source header for a repeated Idempotency-Key', async () => {
    responses.push('From the model');
    const request = { body: { prompt: 'A title' }, headers: { 'idempotency-key': 'again' } };
    const api = service.as();
    const [first, again] = [await api.generateContent(request), await api.generateContent(request)];
    expect([again.headers['idempotent-replayed'], again.body]).toEqual(['true', first.body]);
    expect([first.headers['x-ai-source'], again.headers['x-ai-source']]).toEqual(['model', 'model']);
  });

  it('returns the smallest value that matches the schema without a provider', async () => {
    const reply = await withoutKey.as().generateContent({ body: { prompt: 'A title', responseSchema } });
    expect([reply.headers['x-ai-source'], reply.data]).toEqual(['template', { output: { title: 'x' } }]);
  });

  it('returns a text with the context when there is no schema', async () => {
    const body = {
      prompt: 'Write a note for Ada',
      context: { product: 'Engine', price: 12 },
      temperature: 0,
      maxTokens: 50,
    };
    const { data } = await withoutKey.as().generateContent({ body });
    expect(data.output).toContain('Note for Ada');
    expect(data.output).toContain('- product: Engine\n- price: 12');
    responses.push('Dear Ada');
    expect((await service.as().generateContent({ body })).data).toEqual({ output: 'Dear Ada' });
    expect(requests[0]).toMatchObject({ temperature: 0, max_tokens: 50 });
    expect(requests[0]?.messages[1]?.content).toContain('"product":"Engine"');
  });

  it.each<[object, string]>([
    [{ responseSchema: 'x' }, 'responseSchema'],
    [{ responseSchema: [] }, 'responseSchema'],
    [{ responseSchema: { type: 'text' } }, 'responseSchema'],
    [{ responseSchema: { pattern: '(a+)+$' } }, 'responseSchema'],
    [{ responseSchema: { $ref: 'https://example.com/a.json' } }, 'responseSchema'],
    [{ responseSchema: { description: 'x'.repeat(70_000) } }, 'responseSchema'],
    [{ temperature: 2.1 }, 'temperature'],
    [{ maxTokens: 0 }, 'maxTokens'],
    [{ maxTokens: 4097 }, 'maxTokens'],
    [{ context: 'x' }, 'context'],
  ])('rejects %j', async (fields, field) => {
    const reply = await service.as().generateContent({ body: { prompt: 'A title', ...fields } });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
    expect(requests).toEqual([]);
  });
});
