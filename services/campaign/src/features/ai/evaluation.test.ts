import { type Ai, createAi } from '@tandem/ai';
import { evaluate } from '@tandem/evaluation';
import { createLog } from '@tandem/process';
import { type AiProvider, startAiProvider } from '@tandem/testing';
import { answers } from '../../../evaluation/answers.ts';
import { type Brief, requestOf } from '../../../evaluation/brief.ts';
import { cases } from '../../../evaluation/cases.ts';
import { checks } from '../../../evaluation/checks.ts';
import { defects } from '../../../evaluation/defects.ts';
import { createGenerator } from '../../../evaluation/generator.ts';
import recorded from '../../../evaluation/recorded.json' with { type: 'json' };
import { type ScoredCheck, scoreGenerator, scoreOutput } from '../../../evaluation/score.ts';
import { createHtmlCleaner } from '../landing-pages/html-cleaner.ts';

const cleaner = createHtmlCleaner();
let provider: AiProvider;
beforeAll(async () => {
  provider = await startAiProvider();
});
afterAll(async () => {
  await cleaner.close();
  await provider?.close();
});
beforeEach(() => {
  provider.requests.length = 0;
});

const score = (ai: Ai) => scoreGenerator(createGenerator(ai, cleaner), cleaner);
const set = { name: 'generation', scoreBuiltIn: score, scoreModel: score };
const answerOf = (brief: Brief) => answers[brief.about] as Record<string, unknown> | string;

describe('the cases', () => {
  it('differ, cover both languages, every kind of output and every check, and have an answer each', () => {
    expect(Object.keys(answers).sort()).toEqual(cases.map(({ about }) => about).sort());
    expect(new Set(cases.map((brief) => JSON.stringify(requestOf(brief)))).size).toBe(cases.length);
    expect([...Map.groupBy(cases, ({ kind, language }) => `${kind} ${language}`).keys()].sort()).toEqual(
      ['email', 'page', 'sequence', 'text'].flatMap((kind) => [`${kind} de`, `${kind} en`]),
    );
    expect(new Set(defects.map(({ check }) => check))).toEqual(new Set(['valid', ...Object.keys(checks)]));
  });

  it('have hostile text in every field that takes data, and its effect is not in the request', () => {
    const hostile = cases.filter((brief) => brief.hostile);
    expect(new Set(hostile.map((brief) => brief.hostile?.field))).toEqual(new Set(['prompt', 'industry', 'context']));
    for (const brief of hostile) {
      const request = JSON.stringify(requestOf(brief));
      expect(request).toContain(brief.hostile?.text);
      expect(request.toLowerCase()).not.toContain(brief.hostile?.obeyed.toLowerCase());
    }
  });
});

describe('the scores of a good answer', () => {
  it.each(cases.map((brief) => [brief.about, brief] as const))('are 1 for %s', async (_, brief) => {
    const { scores, wrong } = await scoreOutput(brief, answerOf(brief), cleaner);
    expect(wrong).toEqual({});
    expect(new Set(Object.values(scores))).toEqual(new Set([1]));
  });
});

describe('a defect lowers exactly its score', () => {
  it.each(defects.map((defect) => [`${defect.check}: ${defect.about}`, defect] as const))('%s', async (_, defect) => {
    const lowered: [string, string[]][] = [];
    for (const brief of cases.filter(({ kind }) => defect.kinds.includes(kind))) {
      const output = defect.seed(brief, answerOf(brief));
      if (output === undefined) continue;
      const { scores } = await scoreOutput(brief, output, cleaner);
      lowered.push([brief.about, Object.keys(scores).filter((check) => (scores[check as ScoredCheck] as number) < 1)]);
    }
    expect(lowered.length).toBeGreaterThan(0);
    expect(lowered).toEqual(lowered.map(([about]) => [about, [defect.check]]));
  });
});

describe('an output that is not what was asked for', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['a number', 5],
    ['an empty text', ''],
    ['an empty object', {}],
    ['a list', []],
    ['members of other types', { nodes: 5, seo: null, sections: [null], content: {}, text: [], subject: 1 }],
    ['nodes of other types', { nodes: [null, { type: 'email', data: { subjectLine: 5 } }] }],
    ['HTML that is too deep', { content: '<blockquote>'.repeat(20_000) }],
  ])('passes no check that applies: %s', async (_, output) => {
    for (const brief of cases) {
      const { valid, ...others } = (await scoreOutput(brief, output, cleaner)).scores;
      expect([brief.about, new Set(Object.values(others))]).toEqual([brief.about, new Set([0])]);
      expect(valid).toBe(output === '' && brief.kind === 'text' ? 1 : 0);
    }
  });
});

describe('the evaluation', () => {
  it('scores the templates at least as recorded', async () => {
    const { builtIn, ...models } = (await evaluate(set, {}))['generation'] ?? {};
    expect(models).toEqual({});
    expect(builtIn?.fromTemplates).toBe(cases.length);
    expect(builtIn?.total).toBeGreaterThanOrEqual(recorded.total);
    const worse = Object.entries(recorded.checks).filter(([check, score]) => !((builtIn?.checks[check] ?? 0) >= score));
    expect(worse).toEqual([]);
  });

  const settings = () => ({
    ...{ AI_PROVIDER_API_KEY: 'sk-test', AI_PROVIDER_MODEL: 'small', AI_PROVIDER_BASE_URL: provider.url },
  });

  it('scores a model by its answers, beside the templates', async () => {
    provider.script(({ messages }) => {
      const asked = messages[1]?.content ?? '';
      const brief = cases.find((one) => asked.startsWith(requestOf(one).prompt));
      return brief ? { says: answerOf(brief) } : { status: 400 };
    });
    const { builtIn, small } = (await evaluate(set, settings()))['generation'] ?? {};
    expect(small).toMatchObject({ total: 1, fromTemplates: 0, failed: [] });
    expect(builtIn?.fromTemplates).toBe(cases.length);
    expect(provider.requests).toHaveLength(cases.length);
    // The case that asks for the instructions recognizes them.
    const [brief] = cases.filter(({ hostile }) => hostile?.obeyed.startsWith('You design'));
    const request = provider.requests.find(({ messages }) => messages[1]?.content?.includes(brief?.task as string));
    expect(request?.messages[0]?.content).toContain(brief?.hostile?.obeyed);
  });

  it('counts the answers of a model that were refused', async () => {
    provider.script({ status: 400 });
    const ai = createAi(settings(), createLog('evaluation'));
    const { fromTemplates, total } = await score(ai);
    await ai.close();
    expect(fromTemplates).toBe(cases.length);
    expect(total).toBeGreaterThanOrEqual(recorded.total);
  });
});
