import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { crm } from '@tandem/crm-contract';
import type { TestService } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';
import { stageViolations, statusViolations } from './invariants.ts';
import { stageTemplate } from './stage-templates.ts';
import { statusTemplate } from './status-templates.ts';
import { type Variant, variantOf } from './variant.ts';

/** Stub of a chat-completion provider and its replies; the last reply is repeated. */
let replies: unknown[] = [];
let requests: { messages: { role: string; content: string }[] }[] = [];
const provider = http.createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  requests.push(JSON.parse(Buffer.concat(chunks).toString()));
  const content = JSON.stringify(replies.length > 1 ? replies.shift() : replies[0]);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content } }] }));
});

let service: TestService<typeof crm>;
let withModel: TestService<typeof crm>;
beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  service = await startCrm();
  withModel = await startCrm({ AI_PROVIDER_API_KEY: 'a-key', AI_PROVIDER_BASE_URL: url });
});
beforeEach(() => {
  requests = [];
});
afterAll(async () => {
  await service?.close();
  await withModel?.close();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});

const prompts: [Variant, string][] = [
  ['real_estate', 'We sell apartments and houses'],
  ['saas', 'A SaaS company with  free TRIALS'],
  ['recruiting', 'Recruiting engineers for clients'],
  ['insurance', 'insurance brokerage'],
  ['events', 'Weddings and conferences'],
  ['generic', 'We sell bicycles'],
];

describe('without a provider', () => {
  it.each(prompts)('recognises %s by keywords, ignoring case and spacing', (variant, prompt) => {
    expect(variantOf(prompt)).toBe(variant);
    const shouted = `  ${prompt.toUpperCase().replaceAll(' ', '\n ')} `;
    expect([statusTemplate(shouted), stageTemplate(shouted)]).toEqual([statusTemplate(prompt), stageTemplate(prompt)]);
  });

  it.each(prompts)('satisfies all rules for %s', (_, prompt) => {
    expect(statusViolations(statusTemplate(prompt).statuses)).toEqual([]);
    expect(stageViolations(stageTemplate(prompt).stages)).toEqual([]);
  });

  it.each(prompts)('suggests items for %s that can be created unchanged', async (_, prompt) => {
    const api = service.as({ type: 'user' });
    const { statuses } = (await api.generateStatuses({ body: { prompt } })).data;
    for (const body of statuses) {
      const { status, data } = await api.createStatus({ body });
      expect([status, data]).toEqual([201, expect.objectContaining(body)]);
    }
    const { stages } = (await api.generateOpportunityStages({ body: { prompt } })).data;
    for (const stage of stages) {
      const { status, data } = await api.createStatus({ body: { ...stage, entityType: 'opportunity' } });
      expect([status, data]).toEqual([201, expect.objectContaining(stage)]);
    }
  });

  it('returns only success, data and message, and names the source in a header', async () => {
    const api = service.as({ type: 'user' });
    const body = { prompt: 'We sell bicycles' };
    const statuses = await api.generateStatuses({ body });
    expect(statuses.body).toEqual({
      success: true,
      data: statusTemplate(body.prompt),
      message: 'Lead statuses generated',
    });
    const stages = await api.generateOpportunityStages({ body });
    expect(stages.body).toEqual({
      success: true,
      data: stageTemplate(body.prompt),
      message: 'Opportunity stages generated',
    });
    for (const { status, headers } of [statuses, stages])
      expect([status, headers['x-ai-source']]).toEqual([200, 'template']);
  });

  it.each([[undefined], [''], ['  '], ['x'.repeat(4001)], [5]])('rejects the prompt %j', async (prompt) => {
    const api = service.as({ type: 'user' });
    for (const reply of [
      await api.generateStatuses({ body: { prompt } }),
      await api.generateOpportunityStages({ body: { prompt } }),
    ])
      expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([422, ['prompt']]);
  });
});

describe('with a provider', () => {
  const { stages } = stageTemplate('We sell bicycles');
  const changed = (place: number, fields: object) =>
    stages.map((stage, index) => (index === place ? { ...stage, ...fields } : stage));
  const generate = () => withModel.as({ type: 'user' }).generateOpportunityStages({ body: { prompt: 'Bicycles' } });

  it('returns the output of the model when it satisfies the rules', async () => {
    replies = [{ stages: changed(0, { name: 'Of the model' }) }];
    const { data, headers } = await generate();
    expect([headers['x-ai-source'], data.stages[0].name, requests.length]).toEqual(['model', 'Of the model', 1]);
  });

  it.each([
    ['two defaults', changed(1, { isDefault: true }), 'Exactly one item must have isDefault true.'],
    ['a code twice', changed(1, { code: 'discovery' }), 'Every code must be unique.'],
    [
      'a code of a default stage',
      changed(1, { code: 'proposal' }),
      'These codes already exist, use other ones: proposal.',
    ],
    ['a gap in the order', changed(5, { sortOrder: 9 }), 'sortOrder must be 0, 1, 2, … in the order of the list.'],
    ['two won stages', changed(5, { isWon: true }), 'Exactly one stage must have isWon true.'],
    ['a won stage that is open', changed(4, { isClosed: false }), 'A stage with isWon true must have isClosed true.'],
    [
      'a won stage below 100',
      changed(4, { defaultProbability: 90 }),
      'The won stage must have defaultProbability 100.',
    ],
    ['a lost stage above 0', changed(5, { defaultProbability: 5 }), 'The lost stage must have defaultProbability 0.'],
    [
      'decreasing probabilities',
      changed(1, { defaultProbability: 5 }),
      'defaultProbability of the open stages must not decrease with sortOrder.',
    ],
    ['a probability above 100', changed(3, { defaultProbability: 101 }), 'Must be at most 100'],
  ])('asks the model once to correct %s, then falls back to the template', async (_, wrong, sentence) => {
    replies = [{ stages: wrong }, { stages }];
    expect((await generate()).headers['x-ai-source']).toBe('model');
    expect(requests.at(-1)?.messages.at(-1)?.content).toContain(sentence);
    replies = [{ stages: wrong }];
    const { data, headers } = await generate();
    expect([headers['x-ai-source'], data]).toEqual(['template', { stages }]);
  });
});
