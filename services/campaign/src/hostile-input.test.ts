import type { campaign } from '@tandem/campaign-contract';
import { longestTurn, type TestService } from '@tandem/testing';
import { aNode, aPage, aWorkflow, startCampaign } from './campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

/** Maximum number of values that the gateway accepts. */
const valuesMax = 20_000;
const maxMs = 50;

const alternatives = (levels: number) => {
  const level = (n: number): [string, object] => [`a${n}`, { anyOf: Array(3).fill({ $ref: `#/$defs/a${n + 1}` }) }];
  const $defs = { ...Object.fromEntries(Array.from({ length: levels }, (_, n) => level(n))) };
  return { $ref: '#/$defs/a0', not: { type: 'string' }, $defs: { ...$defs, [`a${levels}`]: { type: 'string' } } };
};

describe('a responseSchema with 30 levels of 3 alternatives', () => {
  const body = { prompt: 'A title', responseSchema: alternatives(30) };

  it('is rejected as too complex, and blocks the event loop for less than 50 ms', async () => {
    const api = service.as();
    const generate = async () => {
      const { status, body: answer } = await api.generateContent({ body });
      const errors = [{ field: 'responseSchema', message: expect.stringContaining('too complex') }];
      expect([status, answer.errors]).toEqual([422, errors]);
    };
    expect(await longestTurn(generate)).toBeLessThan(maxMs);
  });

  it('returns 422, or 503 with Retry-After under load, without affecting other tenants', async () => {
    const api = service.as();
    const calls = Array.from({ length: 12 }, () => api.generateContent({ body }));
    const simple = { prompt: 'A title', responseSchema: { type: 'integer', minimum: 3 } };
    expect((await service.as().generateContent({ body: simple })).data).toEqual({ output: 3 });
    for (const { status, headers } of await Promise.all(calls))
      expect([422, 503]).toContain(status === 503 && !headers['retry-after'] ? 'without Retry-After' : status);
    expect((await api.generateContent({ body: simple })).data).toEqual({ output: 3 });
  });
});

describe('content of a landing page', () => {
  const fill = (piece: string) => piece.repeat(Math.floor(199_000 / piece.length));
  it.each<[string, string]>([
    ['<b>', fill('<b>')],
    ['<ul>', fill('<ul>')],
    ['<q>', fill('<q>')],
    ['<ul><li>', fill('<ul><li>')],
    ['<svg>', fill('<svg>')],
    ['<p>', fill('<p>')],
    ['<li>', fill('<li>')],
    ['<br>', fill('<br>')],
    ['<', fill('<')],
    ['&amp;', fill('&amp;')],
    ['<b></i>', fill('<b></i>')],
    ['attributes', `<a ${Array.from({ length: 25_000 }, (_, n) => `a${n}`).join(' ')}>`],
    ['a srcset', `<img srcset="a ${fill('(')}">`],
  ])('full of %s blocks the event loop for less than 50 ms', async (_, content) => {
    const api = service.as();
    const { id } = (await api.createLandingPage({ body: aPage() })).data;
    const write = async () => {
      const { status } = await api.updateLandingPage({ params: { id }, body: { content } });
      expect([200, 422]).toContain(status);
    };
    expect(await longestTurn(write)).toBeLessThan(maxMs);
  });
});

describe('a workflow with the maximum number of values', () => {
  it.each<[string, unknown]>([
    ['numbers', 1],
    ['texts', 'a'],
    ['objects', {}],
    ['lists', []],
    ['fractions', 1.5e-7],
  ])('of type %s blocks the event loop for less than 50 ms, on write and read', async (_, value) => {
    const api = service.as();
    const perNode = Math.floor(16_000 / (JSON.stringify(value).length + 1));
    const count = Math.ceil(valuesMax / perNode);
    const data = { list: Array(perNode).fill(value) };
    const body = aWorkflow({ nodes: Array.from({ length: count }, (_, n) => aNode(`n${n}`, { data })), edges: [] });
    let id = '';
    const write = async () => {
      const reply = await api.createWorkflow({ body });
      expect(reply.status).toBe(201);
      id = reply.data.id;
    };
    expect(await longestTurn(write)).toBeLessThan(maxMs);
    const read = async () => expect((await api.getWorkflow({ params: { id } })).status).toBe(200);
    expect(await longestTurn(read)).toBeLessThan(maxMs);
  });
});
