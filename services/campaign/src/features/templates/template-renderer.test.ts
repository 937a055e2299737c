import { ShareTimeoutError } from '@tandem/process';
import { longestTurn } from '@tandem/testing';
import { trackLinks } from '../rendering/compose.ts';
import { renderTemplate } from './render.ts';
import { createTemplateRenderer } from './template-renderer.ts';

const renderer = createTemplateRenderer();
afterAll(() => renderer.close());

const content = (html: string) => ({ subject: 'Hello', preheader: null, html, text: null, variables: [] });
const endless = content('{% for i in (1..1000) %}{% for j in (1..1000) %}{{ i }}{% endfor %}{% endfor %}');

it('renders as one message alone, for each lead of its own', async () => {
  const greeting = content('<p>{{ lead.firstName }}</p>');
  const data = (firstName: string) => ({ lead: { firstName } });
  const results = await Promise.all(['Ada', '<b>'].map((name) => renderer.render(greeting, data(name), 1)));
  expect(results).toEqual(['Ada', '<b>'].map((name) => renderTemplate(greeting, data(name))));
});

it('renders templates with loops in other threads', async () => {
  const batch = () =>
    Promise.all(
      Array.from({ length: 6 }, () => expect(renderer.render(endless, {}, 1)).rejects.toThrow('limit exceeded')),
    );
  // Each takes 100 ms of some thread.
  expect(await longestTurn(batch, 2)).toBeLessThan(60);
});

it('refuses templates that take long while the threads are busy, and still renders those of other tenants', async () => {
  const loop = content('{% for tag in tags %}{{ tag }}{% endfor %}');
  const ofOther = () => renderer.render(loop, { tags: ['a', 'b'] }, 2);
  let others: string[] = [];
  const batch = async () => {
    const results = Promise.allSettled(Array.from({ length: 300 }, () => renderer.render(endless, {}, 1)));
    others = [(await ofOther()).html, (await ofOther()).html].map(String);
    const errors = (await results).map((one) => one.status === 'rejected' && one.reason);
    expect(errors.some((error) => error instanceof ShareTimeoutError)).toBe(true);
  };
  expect(await longestTurn(batch, 2)).toBeLessThan(60);
  expect(others).toEqual(['ab', 'ab']);
});

it('rejects a template whose values make a very long text', () => {
  const doubled = '{% assign a = a | append: a %}'.repeat(17);
  expect(() => renderTemplate(content(`{% assign a = "<" %}${doubled}{{ a }}`), {})).toThrow('more than 500000');
});

it('finds the links of unclosed tags in a time that grows with their number only', () => {
  const links = { unsubscribeUrl: 'u', preferencesUrl: 'p', tracked: (url: string) => url };
  const begin = performance.now();
  trackLinks('<a '.repeat(160_000), links as unknown as Parameters<typeof trackLinks>[1]);
  expect(performance.now() - begin).toBeLessThan(1_000);
});
