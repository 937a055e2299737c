import { type campaign, GeneratedPage, Sequence } from '@tandem/campaign-contract';
import { cleanHtml } from '@tandem/html-cleaner/clean';
import type { TestService } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';
import { createHtmlCleaner } from '../landing-pages/html-cleaner.ts';
import { pageErrors, sequenceErrors } from './checks.ts';
import { landingPageTemplate } from './templates/landing-page.ts';
import { emailCountOf, sequenceTemplate } from './templates/sequence.ts';
import { textTemplate } from './templates/text.ts';
import { variantOf } from './templates/words.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

const prompts = [
  'Welcome and onboard new trial users',
  'Win back inactive customers who churned',
  'Create a landing page for our spring webinar on AI in real estate',
  'Launch of our new product',
  'Follow up after a demo',
  'x',
  '<script>alert(1)</script> & "quotes" \'single\'',
  'Кампания для новых клиентов',
  '😀'.repeat(2000),
  'word '.repeat(700),
  'a\tb\nc\u2028d  e',
  '- - -',
  'Create a',
  `please write ${'ß'.repeat(300)}`,
];
const tones = [undefined, null, '', 'Warm and friendly', 'formal', 'urgent', 'sarcastic', 'ü'.repeat(200)];
const counts = [
  undefined,
  null,
  '',
  '1',
  '2',
  '3',
  '3-5',
  '12',
  '0',
  '99999999999999999999',
  'about four',
  '4 to 6',
  '-3',
];
const industries = [undefined, null, '', 'Real estate', '<b>& co', '業'.repeat(200)];

/** All prompts combined with different values of the other fields. */
const sequenceRequests = prompts.flatMap((prompt, p) =>
  counts.map((emailCount, c) => ({
    prompt,
    emailCount,
    tone: tones[(p + c) % tones.length],
    industry: industries[(p * 2 + c) % industries.length],
  })),
);
const pageRequests = prompts.flatMap((prompt, p) =>
  tones.flatMap((tone, t) =>
    ['Book a demo', undefined, 'Sell <b>more</b>', 'Download the e-book'].map((goal, g) => ({
      prompt,
      tone,
      goal,
      industry: industries[(p + t + g) % industries.length],
    })),
  ),
);

describe('the template of a sequence', () => {
  it('satisfies every rule and has the requested number of e-mails', () => {
    for (const request of sequenceRequests) {
      const sequence = sequenceTemplate(request);
      expect(Sequence.safeParse(sequence)).toEqual({ success: true, data: sequence });
      expect(sequenceErrors(sequence)).toEqual([]);
      const emails = sequence.nodes.filter(({ type }) => type === 'email').length;
      expect(emails).toBe(emailCountOf(request));
      expect(sequence.nodes.some(({ type }) => type === 'condition')).toBe(emails >= 3);
      expect(sequenceTemplate(structuredClone(request))).toEqual(sequence);
    }
  });

  it('is a valid body for POST /v1/workflows', async () => {
    const api = service.as();
    for (const request of sequenceRequests.filter((_, index) => index % 7 === 0)) {
      const body = sequenceTemplate(request);
      const { status, data } = await api.createWorkflow({ body });
      expect([status, data]).toEqual([201, expect.objectContaining(body)]);
    }
  });

  it.each([
    ['3-5', 5],
    ['5', 5],
    ['about 6 or so', 6],
    ['3–5 emails', 5],
    ['about four', 4],
    ['0', 1],
    ['100', 12],
    [undefined, 4],
  ])('reads %j e-mails as %j', (emailCount, expected) => {
    expect(emailCountOf({ prompt: 'Welcome', emailCount })).toBe(expected);
  });

  it('uses the number in the prompt when there is no emailCount', () => {
    expect(emailCountOf({ prompt: 'A 6-email welcome series', emailCount: null })).toBe(6);
    expect(emailCountOf({ prompt: 'A 6-email welcome series', emailCount: '2' })).toBe(2);
  });

  it('depends on keywords in the prompt and on the tone', () => {
    const subject = (request: Parameters<typeof sequenceTemplate>[0]) =>
      sequenceTemplate(request).nodes.find(({ type }) => type === 'email')?.data.subjectLine;
    expect(new Set(prompts.slice(0, 6).map(variantOf)).size).toBe(6);
    expect(new Set(prompts.slice(0, 6).map((prompt) => subject({ prompt }))).size).toBe(6);
    expect(new Set(tones.slice(3, 6).map((tone) => subject({ prompt: 'x', tone }))).size).toBe(3);
  });
});

describe('the template of a landing page', () => {
  const cleaner = createHtmlCleaner();
  afterAll(() => cleaner.close());

  it('satisfies every rule', async () => {
    for (const request of pageRequests) {
      const page = landingPageTemplate(request);
      expect(GeneratedPage.safeParse(page)).toEqual({ success: true, data: page });
      expect(await pageErrors(page, cleaner, 1)).toEqual([]);
      expect(cleanHtml(page.content)).toBe(page.content);
      expect(landingPageTemplate(structuredClone(request))).toEqual(page);
    }
  });

  it('is a valid body for POST /v1/campaigns/landing-pages', async () => {
    for (const request of pageRequests.filter((_, index) => index % 11 === 0)) {
      const body = landingPageTemplate(request);
      const { status, data } = await service.as().createLandingPage({ body });
      expect([status, data]).toEqual([201, expect.objectContaining(body)]);
    }
  });

  it('uses the topic of the prompt', () => {
    const page = landingPageTemplate({ prompt: prompts[2] as string, goal: 'Book a call' });
    expect(page.name).toBe('Our spring webinar on AI in real estate');
    expect(page.slug).toBe('our-spring-webinar-on-ai-in-real-estate');
    expect(page.content).toContain('Book a meeting');
  });
});

describe('the template of a text', () => {
  it('is deterministic and never empty', () => {
    for (const prompt of prompts) {
      const text = textTemplate({ prompt, context: { a: { b: [1] } } });
      expect([text, text.isWellFormed()]).toEqual([textTemplate({ prompt, context: { a: { b: [1] } } }), true]);
      expect(text.length).toBeGreaterThan(100);
    }
  });
});
